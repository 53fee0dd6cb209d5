// Sentences that read like plain prose in three languages. Used by site.mjs.

const WORDS = {
  en: {
    articles: ['the', 'a', 'this', 'our'],
    nouns: 'shop house street garden table chair lamp book window door kitchen river boat horse farmer baker letter market basket bottle blanket pillow drawer mirror carpet candle ladder hammer button ribbon'.split(' '),
    verbs: 'has takes finds holds sells keeps brings needs makes shows'.split(' '),
    adjectives: 'small old green quiet warm bright heavy round simple long narrow wooden yellow clean early'.split(' '),
    ends: ['in the town', 'for the winter', 'at the river', 'with a smile', 'on the way', 'by the door', 'in the morning', 'for a friend'],
  },
  de: {
    articles: ['der', 'ein', 'dieser', 'unser'],
    nouns: 'Laden Garten Tisch Stuhl Brief Korb Fluss Weg Hof Baum Hund Vogel Wagen Ofen Topf Teller Mantel Schuh Hut Ring'.split(' '),
    verbs: 'hat nimmt findet zeigt bringt braucht macht sieht kennt sucht'.split(' '),
    adjectives: 'kleine alte neue ruhige warme helle schwere runde lange gute'.split(' '),
    ends: ['in der Stadt', 'für den Winter', 'an dem Fluss', 'mit der Zeit', 'auf dem Weg', 'und das ist gut', 'bei der Arbeit', 'nicht für sich'],
  },
  fr: {
    articles: ['le', 'un', 'ce', 'notre'],
    nouns: 'magasin jardin livre chemin marché panier bateau cheval chat pain vin tapis miroir bouton marteau manteau chapeau fauteuil tableau verre'.split(' '),
    verbs: 'donne trouve montre porte cherche garde prend fait vend aime'.split(' '),
    adjectives: 'petit vieux grand calme rond simple long rouge vert beau'.split(' '),
    ends: ['dans la ville', 'pour les enfants', 'avec une amie', 'sur la table', 'et dans la rue', 'pour le matin', 'de la maison', 'au bord de la mer'],
  },
};

/** A generator of numbers below 1 that is the same for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = (dice, list) => list[Math.floor(dice() * list.length)];

/** Some adjectives and a noun. */
export function words(dice, lang, count) {
  const { adjectives, nouns } = WORDS[lang];
  return [...Array.from({ length: count - 1 }, () => pick(dice, adjectives)), pick(dice, nouns)].join(' ').toLowerCase();
}

/** One sentence. */
export function sentence(dice, lang) {
  const { articles, nouns, verbs, adjectives, ends } = WORDS[lang];
  const [first, second] = [pick(dice, articles), pick(dice, articles)];
  const text = `${first} ${pick(dice, adjectives)} ${pick(dice, nouns)} ${pick(dice, verbs)} ${second} ${pick(dice, nouns)} ${pick(dice, ends)}`;
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
