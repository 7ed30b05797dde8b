/** True in the desktop window, where the gateway answers as the owner and no key is needed. */
export const isDesktop = typeof window !== 'undefined' && window.desktop !== undefined
