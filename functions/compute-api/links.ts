/** Links to records as Nova writes them: with the version of the API, and without it as bookmarks. */

/** The two links to a record below `collection`. `base`: as in a call. */
export const linksTo = (base: string, collection: string, id: string) => [
  { rel: 'self', href: `${base}/v2.1/${collection}/${encodeURIComponent(id)}` },
  bookmarkOf(base, collection, id),
];

/** The one of them that lasts. */
export const bookmarkOf = (base: string, collection: string, id: string) => ({
  rel: 'bookmark',
  href: `${base}/${collection}/${encodeURIComponent(id)}`,
});
