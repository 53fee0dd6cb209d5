// Operations that the service is going to have and does not describe yet, in the form of its document. None at the moment.
// An entry is deleted as soon as schema.d.ts has it; an operation that is not there answers 404, which a screen shows as an error.
export type AnnouncedPaths = unknown;
