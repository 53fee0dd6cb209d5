// Icons of `lucide`, each a file of its own: importing them by name would read all 1,700.
declare module 'lucide/dist/esm/icons/*.mjs' {
  import type { IconNode } from 'lucide';
  const icon: IconNode;
  export default icon;
}
