package resolve

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

// addsWords reports whether a request contains content words that the term does
// not.
func addsWords(request, term string) bool {
	known := wordset.Of(textmatch.Fold(term))
	return slices.ContainsFunc(strings.Fields(textmatch.Fold(prompt.Clip(request, maxRequestBytes))), func(w string) bool { return !known[w] && !stopWords[w] })
}

// quotes reports whether the words of a quote are in a request, one after the
// other.
func quotes(request, quote string) bool {
	return strings.Contains(" "+textmatch.Fold(request)+" ", " "+textmatch.Fold(quote)+" ")
}

// distinguishes reports whether a quote of the request mentions something of one
// of the candidates that the others do not have. Words of the term do not count.
// "the terminal" may distinguish candidates, "last week" hardly ever.
func distinguishes(quote, term string, candidates []label, at int) bool {
	mentioned := candidates[at].mentioned(quote, term)
	for i := range candidates {
		if i != at {
			other := candidates[i].mentioned(quote, term)
			mentioned = slices.DeleteFunc(mentioned, func(s string) bool { return slices.Contains(other, s) })
		}
	}
	return len(mentioned) > 0
}

// mentioned returns what a quote mentions of l: words of its name, its kind, its
// ID, its aliases and the values of its details, without the words of the term. A
// number counts only after its key, as in "berth 2".
func (l *label) mentioned(quote, term string) []string {
	known := wordset.Of(textmatch.Fold(term))
	folded := " " + textmatch.Fold(quote) + " "
	exact := " " + strings.Join(strings.FieldsFunc(quote, func(r rune) bool { return !textmatch.InWord(r) }), " ") + " "
	kinds := " " + kindKey(quote) + " "
	var found []string
	add := func(key, value string) {
		phrase := textmatch.Fold(clipName(value))
		parts := strings.Fields(phrase)
		if !slices.ContainsFunc(parts, func(w string) bool { return !known[w] && !stopWords[w] }) {
			return
		}
		ok := false
		switch {
		case len(parts) == 1 && isNumeral(phrase) && strings.Trim(phrase, "0123456789") == "":
			phrase = strings.TrimSpace(textmatch.Fold(key) + " " + phrase)
			ok = key != "" && strings.Contains(folded, " "+phrase+" ")
		case utf8.RuneCountInString(value) <= maxCode: // us is not US
			ok = strings.Contains(exact, " "+value+" ")
		default:
			ok = strings.Contains(folded, " "+phrase+" ")
		}
		if ok {
			found = append(found, phrase)
		}
	}
	name := strings.Fields(textmatch.Fold(clipName(l.name)))
	for i, w := range name {
		switch {
		case legalWords[w]:
		case !isNumeral(w) && utf8.RuneCountInString(w) > maxCode:
			add("", w)
		case i > 0:
			add("", name[i-1]+" "+w)
		}
	}
	for _, kind := range l.kinds {
		if key := kindKey(kind); key != "" && !known[key] && strings.Contains(kinds, " "+key+" ") {
			found = append(found, key)
		}
	}
	for _, alias := range l.aliases {
		add("", alias)
	}
	for _, d := range l.details {
		add(d.key, d.value)
	}
	add("id", l.id)
	return found
}

const maxCode = 3 // values of at most so many letters are compared with their case
