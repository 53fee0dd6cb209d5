// Standing of the current screen: of a suspended domain, and by a viewer, everything can be read and nothing changed.

/** Null while it is not known. */
let isSuspended = $state<boolean | null>(null);
let isViewer = $state(false);

export const standing = {
  get isSuspended(): boolean | null {
    return isSuspended;
  },
  set isSuspended(value: boolean | null) {
    isSuspended = value;
  },
  /** True for a person whose role changes nothing. */
  set isViewer(value: boolean) {
    isViewer = value;
  },
  /** Reason why nothing can be changed; null when something can. */
  get block(): 'suspended' | 'viewer' | null {
    if (isSuspended === true) return 'suspended';
    return isViewer ? 'viewer' : null;
  },
};
