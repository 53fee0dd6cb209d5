// A lint rule: which folder of src may import which. A feature knows no other feature; components and lib know neither features
// nor the API. Only files beside src/main.ts know everything.
import path from 'node:path';

/** Folder, and the folders that it must not import. */
const FORBIDDEN = {
  lib: ['api', 'components', 'features', 'messages', 'kit', ''],
  messages: ['api', 'components', 'features', 'kit', ''],
  components: ['api', 'features', 'kit', ''],
  api: ['components', 'features', 'kit', ''],
  features: ['kit'],
  kit: ['features'],
};

/** Returns folder and feature of a file below src; the folder of files directly in src is the empty string. */
export function placeOf(file) {
  const inside = file.replaceAll('\\', '/').split('/src/').at(-1) ?? '';
  const parts = inside.split('/');
  return { folder: parts.length > 1 ? parts[0] : '', feature: parts[0] === 'features' ? parts[1] : null };
}

/** Returns what is wrong with an import, or null. */
export function troubleOf(file, imported) {
  if (!imported.startsWith('.')) return null;
  const [own, other] = [
    placeOf(file),
    placeOf(path.posix.join(path.posix.dirname(file.replaceAll('\\', '/')), imported)),
  ];
  if (own.folder === 'features' && other.folder === 'features' && own.feature !== other.feature) {
    return `the feature ${own.feature} must not know the feature ${other.feature}`;
  }
  // Links are built in routes.ts, which features may use; nothing else beside it.
  if (own.folder === 'features' && other.folder === '' && !/\/routes$/.test(imported))
    return 'features know routes.ts only';
  const isForbidden = own.folder !== other.folder && FORBIDDEN[own.folder]?.includes(other.folder);
  return isForbidden
    ? `${own.folder} must not know ${other.folder === '' ? 'files of src itself' : other.folder}`
    : null;
}

export default {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const check = (node) => {
      if (typeof node.source?.value !== 'string') return;
      const trouble = troubleOf(context.filename, node.source.value);
      if (trouble !== null) context.report({ node, message: trouble });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};
