// Words of audits, collected for what looks at every text. A screen imports the file of its folder, which passes on what all of them
// share, so that it loads its own words only.
export * from './audits/agents';
export * from './audits/comparison';
export * from './audits/issues';
export * from './audits/links';
export * from './audits/overview';
export * from './audits/page';
export * from './audits/pages';
export * from './audits/shared';
export * from './audits/site';
export * from './audits/starting';
