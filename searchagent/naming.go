package searchagent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/qedkit/qed/internal/stockphrases"
	"github.com/qedkit/qed/internal/textmatch"
)

// naming returns the document that has the whole reply as its id or a value, if there
// is one such document. Otherwise it returns the documents that have most words of the
// reply, in their order, and none if no document has any. whole reports whether these
// documents have all words of the reply.
func naming(docs []document, reply string) (named []document, whole bool) {
	want := stockphrases.Normal(unaccented(reply))
	is := func(value string) bool { return stockphrases.Normal(unaccented(value)) == want }
	for _, d := range docs {
		if slices.ContainsFunc(d.values(), is) {
			named = append(named, d)
		}
	}
	if len(named) == 1 {
		return named, true
	}
	named = nil
	asked := slices.Compact(slices.Sorted(slices.Values(textmatch.Split(unaccented(reply), fillers))))
	most := 0
	for _, d := range docs {
		have := d.words()
		n := 0
		for _, word := range asked {
			if has(have, word) {
				n++
			}
		}
		switch {
		case n == 0 || n < most:
			continue
		case n > most:
			named, most = nil, n
		}
		named = append(named, d)
	}
	return named, most == len(asked)
}

// has reports whether a set has a word, alone or as a part of a longer word, such as
// of a German compound. A number is not a part of another one.
func has(set textmatch.Set, word string) bool {
	if set[word] {
		return true
	}
	if len(word) < minPart || strings.ContainsFunc(word, unicode.IsDigit) {
		return false
	}
	for longer := range maps.Keys(set) {
		if strings.Contains(longer, word) {
			return true
		}
	}
	return false
}

const minPart = 4 // bytes of a word that is looked for within words

// words returns the words of a document: of its id and its values, and of the names of
// its fields.
func (d document) words() textmatch.Set {
	set := textmatch.Set{}
	texts := d.values()
	for path := range leaves(decoded(d.Source)) {
		texts = append(texts, textmatch.Spaced(path))
	}
	for _, text := range texts {
		for _, word := range textmatch.Split(unaccented(text), nil) {
			set[word] = true
		}
	}
	return set
}

// values returns the id of a document and all its values.
func (d document) values() []string {
	all := []string{d.ID}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		case nil:
		default:
			all = append(all, fmt.Sprint(v))
		}
	}
	walk(decoded(d.Source))
	return all
}

// unaccented returns a text in lower case, without accents, and with the same spelling for
// ü, u and ue, so that words of users and of documents can be compared.
func unaccented(text string) string {
	text = norm.NFKD.String(strings.ToLower(strings.ToValidUTF8(text, " ")))
	return umlauts.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text))
}

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u", "ß", "ss")

// noneOfThem are the replies that name none of the documents.
var noneOfThem = []string{
	"none", "none of them", "none of these", "none of those", "not one of them", "neither",
	"keine", "keiner", "keines", "keins", "keine davon", "keiner davon", "keines davon", "keins davon", "nichts davon",
	"keine von ihnen", "keiner von ihnen", "keines von ihnen", "keins von ihnen",
}

// fillers are the words of replies that name no document, without accents, in addition to the
// English stop words of package words.
var fillers = textmatch.SetOf(unaccented(`one ones called named please mean meant want need only just which think maybe ok yes
	ich meine meinte möchte will suche brauche bitte der die das den dem des ein eine einen einem einer eines mit von
	vom aus im in am an auf für zu zum zur und oder ist war heißt genannt namens welche welcher welches jene jenes nur
	ja wohl glaube`))
