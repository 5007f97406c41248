// Package esquery says whether a search body, written by a model or a stranger,
// may be sent to Elasticsearch or OpenSearch, and makes it say what it seems to.
//
// Both engines answer many faulty bodies with 200 and nothing found, or the wrong
// thing: a term on an analysed text, a field that does not exist, a nested object
// without its nested query, a date in another format. A [Validator] reads the body
// against the index's [Mapping], and refuses such a body with what is wrong, where,
// and what could have been meant.
//
// It also keeps a body inside what its author may see. The host's filter (the
// tenant, say) is put in by code, whatever the body says; what could reach around
// it is refused, and fields marked sensitive do not exist for the author.
//
// Nothing here calls a model or the network, and equal input gives equal output.
// What comes out is printed anew from what was read: only a Validator makes a
// [Search], and package [github.com/qedkit/qed/esquery/esclient] runs nothing else.
package esquery
