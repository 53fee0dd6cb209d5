// State of the browser's connection, as the browser says itself.

let isOnline = $state(typeof navigator === 'undefined' || navigator.onLine);

if (typeof window !== 'undefined') {
  window.addEventListener('online', () => (isOnline = true));
  window.addEventListener('offline', () => (isOnline = false));
}

export const connection = {
  get isOnline(): boolean {
    return isOnline;
  },
};
