// Which layer of the shell is open: the palette, the domain switcher, the help for keys.

let isOpen = $state(false);
let isSwitching = $state(false);
let isHelping = $state(false);

export const palette = {
  get isOpen(): boolean {
    return isOpen;
  },
  set isOpen(next: boolean) {
    isOpen = next;
  },
  open(): void {
    isOpen = true;
  },
};

export const switcher = {
  get isOpen(): boolean {
    return isSwitching;
  },
  set isOpen(next: boolean) {
    isSwitching = next;
  },
};

export const help = {
  get isOpen(): boolean {
    return isHelping;
  },
  set isOpen(next: boolean) {
    isHelping = next;
  },
};
