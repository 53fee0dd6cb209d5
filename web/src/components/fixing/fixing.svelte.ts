// The dialog of a fix, which rows of a list open. One for each screen.
import type { Fix } from '../../lib/fixes';

let fix = $state.raw<Fix | null>(null);
let isOpen = $state(false);

export const fixing = {
  get fix(): Fix | null {
    return fix;
  },
  get isOpen(): boolean {
    return isOpen;
  },
  set isOpen(value: boolean) {
    isOpen = value;
  },
  open(wanted: Fix): void {
    [fix, isOpen] = [wanted, true];
  },
};
