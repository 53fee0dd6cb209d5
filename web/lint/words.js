// A lint rule: no visible text in markup. Words stand in src/messages, so that a language is a folder.

/** Attributes and props whose text somebody reads or hears. */
const SPOKEN = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'hint',
  'label',
  'placeholder',
  'text',
  'title',
]);
const LETTER = /\p{L}/u;

/** Returns true for text that is words and not punctuation. */
export function hasWords(text) {
  return LETTER.test(text);
}

export default {
  meta: { type: 'problem', schema: [], messages: { words: 'Visible text belongs into src/messages: {{ text }}' } },
  create(context) {
    const report = (node, text) => {
      if (hasWords(text)) context.report({ node, messageId: 'words', data: { text: text.trim().slice(0, 40) } });
    };
    const ofExpression = (expression) => {
      if (expression?.type === 'Literal' && typeof expression.value === 'string') return expression.value;
      if (expression?.type === 'TemplateLiteral') return expression.quasis.map((quasi) => quasi.value.cooked).join(' ');
      return '';
    };
    return {
      SvelteText(node) {
        const parent = node.parent?.type;
        if (parent === 'SvelteStyleElement' || parent === 'SvelteScriptElement') return;
        report(node, node.value);
      },
      SvelteMustacheTag(node) {
        if (node.parent?.type !== 'SvelteAttribute') report(node, ofExpression(node.expression));
      },
      SvelteAttribute(node) {
        if (!SPOKEN.has(node.key.name)) return;
        for (const value of node.value) {
          report(value, value.type === 'SvelteLiteral' ? value.value : ofExpression(value.expression));
        }
      },
    };
  },
};
