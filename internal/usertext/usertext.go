// Package usertext has the texts that code, and not a model, writes for users: by
// language, and replaceable by the host.
package usertext

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/wordset"
)

// The languages of the texts that this module has.
const (
	English = "en"
	German  = "de"
)

// Base returns the language of a tag such as "de-AT", in lower case.
func Base(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-"), "-")
	return strings.ToLower(base)
}

// Fill returns a text with values instead of names in braces. The arguments are
// names and their values in turn.
func Fill(text string, namesAndValues ...string) string {
	for i := 0; i < len(namesAndValues); i += 2 {
		namesAndValues[i] = "{" + namesAndValues[i] + "}"
	}
	return strings.NewReplacer(namesAndValues...).Replace(text)
}

// Number returns a number with a sign between its thousands.
func Number(n int64, sign string) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + sign + text[i:]
	}
	return text
}

// Frequent words that the other language, and the neighbours of German, rarely have.
var germanWords, englishWords = wordset.Of(`
	der die das und ist mit von bei im zu auf nicht dem ein eine einen einem einer eines für als wie viele
	wieviel welche welcher welches welchen wer wo wann warum wurde wurden waren sind hat haben habe gibt nach
	aus über letzten letzte letztes letzter diesen diese dieses dieser jahr monat woche heute gestern morgen
	zeig zeige mir uns ich wir ihr unsere unser alle bitte ja nein danke abbrechen vergiss genehmigen ablehnen
	weiter noch kein keine hallo mehr hoch liegt pro auch nur oder kunden aufträge umsatz`),
	wordset.Of(`
		the of and were are with from this that has have by its which what how many much who when where why show me
		list give all please is does do did was yes no last year month week today our my for to than between more
		most each only not hello thanks cancel approve reject continue there their any a an`)

// LanguageOf returns [German] or [English]: the language of the first text that
// shows one. It returns "" if none does.
func LanguageOf(texts ...string) string {
	for _, text := range texts {
		german, english := 0, 0
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			switch {
			case englishWords[word]:
				english++
			case germanWords[word], strings.ContainsRune(word, 'ß'):
				german++
			}
		}
		switch {
		case german > english:
			return German
		case english > german:
			return English
		}
	}
	return ""
}
