// Made-up answers of four assistants to the six prompts of the demo. Which brands an answer names, in which order and tone, depends on assistant,
// prompt, day and how often it was asked that day; the same occasion gives the same answer. Pure; see docs/decisions/0460.
// Must never answer anything but those prompts: nothing is to be made up about somebody's own brand.
import { GUIDES, OWN, RIVAL_LINES, RIVALS, SITE } from './brands.mjs';
import { dice, pick } from './dice.mjs';
import { PROMPTS } from './prompts.mjs';

/** Habits of the assistants: how fond of the shop, how many brands at most, how they write. */
export const ASSISTANTS = {
  chatgpt: { taste: 0.02, most: 4, style: 'numbers' },
  perplexity: { taste: 0.16, most: 5, style: 'bullets' },
  gemini: { taste: -0.14, most: 4, style: 'bullets' },
  claude: { taste: 0.06, most: 3, style: 'prose' },
};
const OWN_STRENGTH = 0.5;
/** A brand whose score is above this is named. */
const THRESHOLD = 0.5;

const clean = (text) => text.trim().replace(/\s+/g, ' ');

/** The prompt with this text, or undefined. */
export const promptOf = (text) => PROMPTS.find((prompt) => prompt.text === clean(text));

/** A slow wave of −1 to 1 over some weeks, so that trends go somewhere. */
function wave(day, ...words) {
  const random = dice('wave', ...words);
  return Math.sin(2 * Math.PI * (Date.parse(day) / 86_400_000 / (24 + random() * 30) + random()));
}

/** Names of the brands of an answer, the first one first. Answers of one day differ less than those of different days. */
function brandsOf({ assistant, prompt, day, random }) {
  const { taste, most } = ASSISTANTS[assistant];
  const scored = [{ name: OWN, score: OWN_STRENGTH + taste + prompt.fit }, ...RIVALS.map(({ name, strength }) => ({ name, score: strength }))];
  const moved = scored.map(({ name, score }) => {
    const habit = (dice('habit', name, assistant, prompt.text)() - 0.5) * 0.3;
    const mood = (dice('mood', name, assistant, prompt.text, day)() - 0.5) * 0.4;
    return { name, score: score + habit + mood + wave(day, name) * 0.12 + (random() - 0.5) * 0.16 };
  });
  return moved.filter(({ score }) => score > THRESHOLD).sort((one, other) => other.score - one.score).slice(0, most).map(({ name }) => name);
}

/** A sentence about a brand, and the page that it is cited for. */
function lineOf({ name, prompt, random, assistant }) {
  if (name === OWN) {
    const chance = random() + ASSISTANTS[assistant].taste;
    const text = prompt.own[chance > 0.45 ? 0 : chance > 0.15 ? 1 : 2];
    const [path, title] = pick(random, prompt.pages);
    return { text, source: { url: SITE + path, title } };
  }
  const { site } = RIVALS.find((rival) => rival.name === name);
  const text = pick(random, RIVAL_LINES[name]).replace('{thing}', prompt.thing);
  return { text, source: { url: `${site}/${prompt.guides}`, title: `${name}: ${prompt.thing}` } };
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Writes lines as the assistant does; each has its numbers of sources. */
function write(style, lines) {
  if (style === 'prose') return lines.map(({ name, text, marks }) => `**${name}** – ${capital(text).replace(/\.$/, '')}.${marks}`).join('\n\n');
  return lines.map(({ name, text, marks }, index) => `${style === 'numbers' ? `${index + 1}.` : '-'} **${name}**: ${text}${marks}`).join('\n');
}

/**
 * Answers a prompt: `{text, citations, found}`, the first two as a chat completion has them, with numbers from 1 in the text. `found` was looked
 * at and not cited.
 */
export function answer({ assistant, prompt, day, turn }) {
  const random = dice('answer', assistant, prompt.text, day, String(turn));
  const [guide, other] = GUIDES[prompt.guides].map(([url, title]) => ({ url, title }));
  const citations = [];
  const mark = (source) => {
    let number = citations.findIndex(({ url }) => url === source.url) + 1;
    if (number === 0) number = citations.push(source);
    return `[${number}]`;
  };
  const paragraphs = (prompt.know ?? []).map((text, index) => text + (index === 0 ? ` ${mark(other)}` : ''));
  const names = brandsOf({ assistant, prompt, day, random });
  const lines = names.map((name, index) => {
    const { text, source } = lineOf({ name, prompt, random, assistant });
    // Not every sentence has its source: assistants leave some out.
    const isCited = random() < (assistant === 'claude' ? 0.6 : 0.85);
    return { name, text, marks: `${isCited ? ` ${mark(source)}` : ''}${index === 0 ? mark(guide) : ''}` };
  });
  if (lines.length > 0) paragraphs.push(pick(random, prompt.intro), write(ASSISTANTS[assistant].style, lines));
  else paragraphs.push(`I found no workshop that I would recommend for this; a guide to it is a good start. ${mark(guide)}`);
  const cited = new Set(citations.map(({ url }) => url));
  const found = [guide, other, ...prompt.pages.map(([path, title]) => ({ url: SITE + path, title }))].filter(({ url }) => !cited.has(url));
  return { text: paragraphs.join('\n\n'), citations, found };
}
