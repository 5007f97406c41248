// Package textmatch compares texts by their words: it splits and folds them, ranks
// texts by the words that they have in common with a query (BM25, reciprocal rank
// fusion), and measures typing errors.
package textmatch
