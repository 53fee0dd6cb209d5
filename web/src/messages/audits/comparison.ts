// Words of the comparison of two runs.
import { count } from '../../lib/numbers';
import { newAndFixed, pageCount } from './shared';

export * from './shared';

export const compareWith = () => 'Compare with';
export const otherRun = () => 'Another audit';
export const runOption = (when: string, mode: string, pages: number) =>
  `${when}, ${mode.toLowerCase()}, ${pageCount(pages)}`;
export const compareLede = (added: number, fixed: number, isLater: boolean) =>
  `${newAndFixed(added, fixed)}. ${isLater ? 'The chosen audit is the later one.' : 'This audit is the later one.'}`;
export const nothingToCompare = () => 'Nothing to compare with';
export const nothingToCompareText = () => 'The next audit of this domain can be compared with this one.';
export const newFindings = () => 'New findings';
export const fixedFindings = () => 'Fixed findings';
export const changedPages = () => 'Changed pages';
export const addedPages = () => 'Added pages';
export const removedPages = () => 'Removed pages';
export const notVisitedPages = () => 'Pages not visited';
export const changesWhat = () => 'changes';
export const firstOf = (shown: number, total: number) => `The first ${count(shown)} of ${count(total)}`;
export const before = () => 'Before';
export const after = () => 'After';
