// Text of the made site: different on every page, the same on every call.

const WORDS = {
  who: 'a writer|the team|an editor|a reader|the owner|a reviewer|support|an engineer|a translator|a new colleague|the release manager|a customer|the product group|a student|an administrator'.split(
    '|',
  ),
  does: 'opens|renames|reviews|publishes|translates|links|splits|archives|measures|restores|compares|imports|signs off|rewrites|collects|merges|schedules|labels|checks|shares'.split(
    '|',
  ),
  what: 'a handbook|the release notes|an API reference|the glossary|a tutorial|the help centre|a runbook|the style guide|a code sample|the search index|a version|the sidebar|a draft|an old page|a redirect|the table of contents|a diagram|the changelog|a template|the feedback form'.split(
    '|',
  ),
  when: 'before readers see it|on every build|at the end of a sprint|after the first review|when a link breaks|once a quarter|while the old address still works|without leaving the editor|from the command line|in a branch of its own|with one click|for each language|as soon as tests pass|when support asks|next to the source code'.split(
    '|',
  ),
  why: 'so that nobody reads stale text|because examples must run|and the history keeps both versions|which saves a meeting|so search finds it by its heading|and the reader stays on the page|because names change|which is how mistakes are caught early|so the address never changes|and every change has an author|because screenshots age quickly|which keeps the build short'.split(
    '|',
  ),
};

/** Numbers from 0 to 1 that depend on a seed alone (mulberry32). */
export function dice(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function sentence(roll: () => number): string {
  const of = (list: readonly string[]) => list[Math.floor(roll() * list.length)] ?? '';
  const [who, what] = [of(WORDS.who), of(WORDS.what)];
  const start = who.charAt(0).toUpperCase() + who.slice(1);
  const middle = `${of(WORDS.does)} ${what} ${of(WORDS.when)}`;
  return roll() < 0.5 ? `${start} ${middle}.` : `${start} ${middle}, ${of(WORDS.why)}.`;
}

/** Paragraphs of HTML. */
export function paragraphs(seed: number, count: number): string {
  const roll = dice(seed);
  return Array.from(
    { length: count },
    () => `<p>${Array.from({ length: 5 }, () => sentence(roll)).join(' ')}</p>`,
  ).join('');
}
