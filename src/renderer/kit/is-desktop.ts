/** True in the desktop window, where requests are those of the owner and no key is needed. */
export const isDesktop = typeof window !== 'undefined' && window.desktop !== undefined
