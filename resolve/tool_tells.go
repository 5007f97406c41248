package resolve

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// quotes reports whether words stand in a text.
func quotes(text, words string) bool {
	return strings.Contains(" "+fold(text)+" ", " "+fold(words)+" ")
}

// tells reports whether words say something of one of several candidates, beyond the term, that the others
// do not have: "the terminal" may, "last week" hardly ever.
func tells(words, term string, among []label, at int) bool {
	told := among[at].in(words, term)
	for i := range among {
		if i != at {
			other := among[i].in(words, term)
			told = slices.DeleteFunc(told, func(s string) bool { return slices.Contains(other, s) })
		}
	}
	return len(told) > 0
}

// in returns what words say of l beyond a term: words of its name, its kind, its ID, other names and the values
// of its details. A number says nothing alone: it stands behind what it counts, as in "berth 2".
func (l *label) in(words, term string) []string {
	known := setOf(fold(term))
	text := " " + fold(words) + " "
	written := " " + strings.Join(strings.FieldsFunc(words, func(r rune) bool { return !inWord(r) }), " ") + " "
	single := " " + kindKey(words) + " "
	var found []string
	add := func(key, value string) {
		phrase := fold(clipName(value))
		said := strings.Fields(phrase)
		if !slices.ContainsFunc(said, func(w string) bool { return !known[w] && !stopWords[w] }) {
			return
		}
		stands := false
		switch {
		case len(said) == 1 && isNumeral(phrase) && strings.Trim(phrase, "0123456789") == "":
			phrase = strings.TrimSpace(fold(key) + " " + phrase)
			stands = key != "" && strings.Contains(text, " "+phrase+" ")
		case utf8.RuneCountInString(value) <= maxCode: // us is not US
			stands = strings.Contains(written, " "+value+" ")
		default:
			stands = strings.Contains(text, " "+phrase+" ")
		}
		if stands {
			found = append(found, phrase)
		}
	}
	name := strings.Fields(fold(clipName(l.name)))
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
		if key := kindKey(kind); key != "" && !known[key] && strings.Contains(single, " "+key+" ") {
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

const maxCode = 3 // letters of what is compared with its case
