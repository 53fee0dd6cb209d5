// Standing of the domain that the current screen is about: of a suspended one everything can be read and nothing changed.

let isSuspended = $state(false);

export const standing = {
  get isSuspended(): boolean {
    return isSuspended;
  },
  set isSuspended(value: boolean) {
    isSuspended = value;
  },
};
