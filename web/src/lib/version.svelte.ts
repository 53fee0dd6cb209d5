// Notice that the service has another version than this page, so that the page's files are gone. `routes.ts` notices, `app.svelte` says so.

let isNewer = $state(false);

export const version = {
  get isNewer(): boolean {
    return isNewer;
  },
  noteNewer(): void {
    isNewer = true;
  },
};
