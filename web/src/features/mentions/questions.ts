// Suggestions as questions in the language of those who ask, and the place from which they ask. Pure.
import type { Schemas } from '../../api/client';

type Intent = 'info' | 'comm' | 'trans';

/** Questions about a topic, by language and intent. */
const QUESTIONS: Record<string, Record<Intent, (topic: string) => string>> = {
  en: {
    info: (topic) => `What should I know about ${topic}?`,
    comm: (topic) => `What do you recommend for ${topic}?`,
    trans: (topic) => `Where can I buy ${topic}?`,
  },
  de: {
    info: (topic) => `Was sollte ich über ${topic} wissen?`,
    comm: (topic) => `Was empfehlen Sie für ${topic}?`,
    trans: (topic) => `Wo kann ich ${topic} kaufen?`,
  },
  fr: {
    info: (topic) => `Que faut-il savoir sur ${topic} ?`,
    comm: (topic) => `Que recommandez-vous pour ${topic} ?`,
    trans: (topic) => `Où acheter ${topic} ?`,
  },
  es: {
    info: (topic) => `¿Qué debo saber sobre ${topic}?`,
    comm: (topic) => `¿Qué recomiendas para ${topic}?`,
    trans: (topic) => `¿Dónde puedo comprar ${topic}?`,
  },
  it: {
    info: (topic) => `Che cosa devo sapere su ${topic}?`,
    comm: (topic) => `Che cosa consigli per ${topic}?`,
    trans: (topic) => `Dove posso comprare ${topic}?`,
  },
  nl: {
    info: (topic) => `Wat moet ik weten over ${topic}?`,
    comm: (topic) => `Wat raad je aan voor ${topic}?`,
    trans: (topic) => `Waar kan ik ${topic} kopen?`,
  },
  pt: {
    info: (topic) => `O que devo saber sobre ${topic}?`,
    comm: (topic) => `O que recomenda para ${topic}?`,
    trans: (topic) => `Onde posso comprar ${topic}?`,
  },
};

/** Languages that questions can be asked in. */
export const LANGUAGES = Object.keys(QUESTIONS);

/** Countries that questions can be asked from, by their ISO 3166-1 code. */
export const COUNTRIES =
  'AR AT AU BE BR CA CH CL CO CZ DE DK EG ES FI FR GB GR HK HU ID IE IL IN IT JP KE KR MX MY NG NL NO NZ PE PH PL PT RO SA SE SG TH TR TW UA US VN ZA'.split(
    ' ',
  );

const isQuestion = (text: string) => /[?？؟]\s*$/.test(text);

/** Returns a heading as the topic of a sentence: without its end, and without words that only headings begin with. */
const topicOf = (heading: string) =>
  heading
    .trim()
    .replace(/[.:;,!]+$/, '')
    .replace(/^(?:about|all|our)\s+(?=\S)/i, '');

/** Returns a suggestion as a question: as it is when it is one, else about its topic. */
export function questionOf(
  { promptText, intent }: Pick<Schemas['SuggestionItem'], 'promptText' | 'intent'>,
  language: string,
): string {
  if (isQuestion(promptText)) return promptText;
  const templates = QUESTIONS[language] ?? QUESTIONS.en;
  const template = templates?.[String(intent) as Intent] ?? templates?.info;
  return template?.(topicOf(promptText)) ?? promptText;
}

/** A suggestion with its question. */
export interface Question {
  text: string;
  intent: string;
  evidence: string;
}

/** Returns a text in the form in which two are equal: lower case, words only. */
const keyOf = (text: string) =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/**
 * Returns suggestions as questions, without those that are asked already, each once. Questions about brands come from the service in
 * English, and are left out in another language.
 */
export function questionsOf(
  suggestions: readonly Schemas['SuggestionItem'][],
  language: string,
  tracked: readonly string[],
): Question[] {
  const taken = new Set(tracked.map(keyOf));
  const questions: Question[] = [];
  for (const one of suggestions) {
    if (language !== 'en' && String(one.source) === 'brand') continue;
    const text = questionOf(one, language);
    if (taken.has(keyOf(text))) continue;
    taken.add(keyOf(text));
    questions.push({ text, intent: String(one.intent), evidence: one.evidence });
  }
  return questions;
}

/** Place and language of those who ask; empty: as the domain has it. */
export interface Asker {
  country: string;
  language: string;
}

/** Returns the place of a prompt as the service takes it; none: the domain's own. */
export function personaOf({ country, language }: Asker): Record<string, string> | undefined {
  if (country === '' && language === '') return undefined;
  return { ...(country !== '' && { country }), ...(language !== '' && { language }) };
}

/** Returns the name of a country or a language in English. */
export function nameOf(kind: 'region' | 'language', code: string): string {
  return new Intl.DisplayNames('en', { type: kind }).of(code) ?? code;
}
