// Words of signing in.

export const title = () => 'Sign in';
export const email = () => 'E-mail';
export const password = () => 'Password';
export const signIn = () => 'Sign in';
export const signingIn = () => 'Signing in';
export const forgotten = () => 'Forgot your password? The operator of this server can set a new one:';
export const forgottenCommand = () => 'glasshouse account set-password';
export const doNotMatch = () => 'This e-mail and password do not match.';
export const noEmail = () => 'Enter an e-mail address, such as ada@example.com.';
export const noPassword = () => 'Enter the password.';
export const expired = () => 'Your session ended. Sign in to continue where you left off.';
export const tooMany = (left: string) => `Too many attempts. Try again in ${left}.`;
export const tooManyOver = () => 'You can try again now.';
export const unreachable = () => 'The server does not answer. Try again in a moment.';
export const failed = (status: number) => `Signing in failed: the server answered ${status}.`;
export const apiReference = () => 'API reference';
