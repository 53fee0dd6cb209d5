// Standing of the domain that the current screen is about: of a suspended one everything can be read and nothing changed.

/** Null while it is not known. */
let isSuspended = $state<boolean | null>(null);

export const standing = {
  get isSuspended(): boolean | null {
    return isSuspended;
  },
  set isSuspended(value: boolean | null) {
    isSuspended = value;
  },
};
