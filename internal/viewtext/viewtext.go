// Package viewtext finds what views read by their text, for the engines of package sqldb
// whose catalogues do not say it.
package viewtext

import (
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed/joinpath"
)

// SetReads sets the Reads of the views in schema to the tables and views that their text
// mentions anywhere, in any letter case: in a name, in a string or in a comment. That is
// never less than what they read.
//
// Outside has the texts of the views of other schemas, by schema and name, which a view may
// read too. An empty text means that it is not known. The Reads of a view that mentions it stay
// nil.
func SetReads(schema *joinpath.Schema, texts map[string]string, outside map[[2]string]string) {
	words := map[string][]string{}  // tables by their names in lower case
	others := map[string][]string{} // the tables whose names are no words, in the same form
	for table, t := range schema.Tables {
		name := strings.ToLower(table)
		if t.Schema != "" {
			name = name[len(strings.ToLower(t.Schema))+1:] // a view of its schema reads it without
		}
		into := words
		if strings.IndexFunc(name, separates) >= 0 {
			into = others
		}
		into[name] = append(into[name], table)
	}
	for view, text := range texts {
		t, ok := schema.Tables[view]
		if !ok {
			continue
		}
		text, mentioned := whole(text, outside)
		if mentioned == nil {
			continue
		}
		reads := []string{}
		for word := range mentioned {
			reads = append(reads, words[word]...)
		}
		for name, tables := range others {
			if strings.ContainsAny(name, "\"`'\\") || strings.Contains(text, name) { // a quote may be doubled
				reads = append(reads, tables...)
			}
		}
		reads = slices.DeleteFunc(reads, func(table string) bool { return table == view })
		slices.Sort(reads)
		t.Reads = slices.Compact(reads)
		schema.Tables[view] = t
	}
}

// whole returns a text in lower case with those of the outside views that it mentions, and its
// words. The words are nil if a text is not known.
func whole(text string, outside map[[2]string]string) (string, map[string]bool) {
	words, seen, all := map[string]bool{}, map[[2]string]bool{}, ""
	add := func(text string) {
		text = strings.ToLower(text)
		all += "\n" + text
		for _, word := range strings.FieldsFunc(text, separates) {
			words[word] = true
		}
	}
	add(text)
	for again := true; again; {
		again = false
		for name, more := range outside {
			unsaid := func(word string) bool { return !words[word] }
			if seen[name] || slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name[0]+" "+name[1]), separates), unsaid) {
				continue
			}
			if more == "" {
				return "", nil
			}
			seen[name], again = true, true
			add(more)
		}
	}
	return all, words
}

// separates reports whether r is no part of a word.
func separates(r rune) bool {
	return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
