// Package sentence finds the sentences of German and English texts.
package sentence

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/numeral"
	"github.com/qedkit/qed/internal/wordset"
)

// Ends returns the offset after each sentence of a text, in their order. The space
// after a sentence is not part of it; closing quotation marks, brackets and
// citations such as [1] are. The last offset is the end of the text unless only
// space follows a sentence.
//
// A blank line, a heading, a table row and a list item end a sentence too. A full
// stop after an abbreviation, an initial or the day of a date does not.
func Ends(text string) []int {
	var ends []int
	begin := 0
	end := func(at int) {
		if strings.TrimSpace(text[begin:at]) != "" {
			ends = append(ends, at)
		}
		begin = at
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n' && endsLine(text[begin:i], text[i+1:]):
			end(i)
		case strings.ContainsRune("。！？", r):
			end(after(text, i+size))
		case r == '.' || r == '!' || r == '?' || r == '…':
			at := after(text, i+size)
			if begins(text[at:]) && !(r == '.' && abbreviates(text[begin:i], text[at:])) {
				end(at)
				i = at
				continue
			}
		}
		i += size
	}
	end(len(text))
	return ends
}

// after returns the offset after everything at text[i:] that belongs to the sentence
// before it: more marks, closing quotation marks and citations.
func after(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if strings.ContainsRune(`.!?…"'”’“»«)]*_`, r) {
			i += size
			continue
		}
		rest := strings.TrimLeft(text[i:], " ")
		length := citation(rest)
		if length == 0 {
			break
		}
		i = len(text) - len(rest) + length
	}
	return i
}

// citation returns the length of the citation that text begins with, such as [1],
// and 0 if there is none. A link is not one.
func citation(text string) int {
	if !strings.HasPrefix(text, "[") {
		return 0
	}
	end := strings.IndexAny(text[1:], "[]\n")
	if end < 1 || end > 40 || text[1+end] != ']' || strings.HasPrefix(text[2+end:], "(") {
		return 0
	}
	return end + 2
}

// begins reports whether the text after a full stop begins another sentence.
func begins(rest string) bool {
	if rest == "" {
		return true
	}
	trimmed := strings.TrimLeft(rest, " \t\n\u00a0")
	if len(trimmed) == len(rest) {
		return false // 1.5, example.com
	}
	r, _ := utf8.DecodeRuneInString(trimmed)
	return trimmed == "" || !unicode.IsLower(r) && !strings.ContainsRune(",;:.!?)", r)
}

// endsLine reports whether a line break ends a sentence.
func endsLine(before, rest string) bool {
	line := strings.TrimLeft(rest, " \t")
	last := strings.TrimLeft(before[strings.LastIndexByte(before, '\n')+1:], " \t")
	return line == "" || line[0] == '\n' || IsItem(line) || strings.ContainsRune("#|>", rune(line[0])) ||
		strings.HasPrefix(last, "#") || strings.HasPrefix(last, "|")
}

// IsItem reports whether a line begins with the mark of a list item: "- ", "* ",
// "+ ", "1. " or "1) ".
func IsItem(line string) bool { return Marker(line) > 0 }

// Marker returns the length of the mark of a list item with its space, and 0 if the
// line does not begin with one.
func Marker(line string) int {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	at := digits
	switch {
	case at >= len(line)-1 || digits > 3:
		return 0
	case digits > 0 && line[at] != '.' && line[at] != ')':
		return 0
	case digits == 0 && line[0] != '-' && line[0] != '*' && line[0] != '+':
		return 0
	}
	if line[at+1] != ' ' && line[at+1] != '\t' {
		return 0
	}
	return at + 2
}

// abbreviates reports whether the full stop between two texts belongs to the word
// before it.
func abbreviates(before, rest string) bool {
	start := strings.LastIndexFunc(before, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`("'„“»‚`, r)
	})
	word := before
	if start >= 0 {
		_, size := utf8.DecodeRuneInString(before[start:])
		word = before[start+size:]
	}
	if word == "" {
		return false
	}
	if strings.Trim(word, "0123456789") == "" {
		if rest == "" {
			return false
		}
		item := strings.TrimSpace(before) == word
		next, _, _ := strings.Cut(strings.TrimLeft(rest, " \u00a0"), " ")
		article := articles[lastWord(strings.TrimSuffix(before, word))] // im 3. Quartal
		return item || len(word) <= 2 && (article || numeral.Months[strings.ToLower(strings.Trim(next, ".,;:!?\n"))] > 0)
	}
	if utf8.RuneCountInString(word) == 1 { // an initial, or z. B.
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsLetter(r)
	}
	word, rest = strings.ToLower(word), strings.TrimSpace(rest)
	if dotted.MatchString(word) { // U.S., p.m., z.B.
		next, _, _ := strings.Cut(rest, " ")
		return rest != "" && !starts[strings.ToLower(next)]
	}
	if numbered[word] || len(word) <= 4 && numeral.Months[word] > 0 {
		return rest != "" && '0' <= rest[0] && rest[0] <= '9'
	}
	return rest != "" && abbreviations[word]
}

// lastWord returns the word at the end of a text, in lower case.
func lastWord(text string) string {
	text = strings.TrimRight(text, " \n\u00a0")
	return strings.ToLower(text[strings.LastIndexAny(text, " \n(")+1:])
}

// articles stand before a German ordinal.
var articles = wordset.Of("am im der die das den dem des zum zur vom beim ab seit jeder jede jedes jeden")

// numbered are words that are abbreviations only before a number.
var numbered = wordset.Of("art max min no sec st")

var abbreviations = wordset.Of(`abs al allg anl anm approx aufl az bd bsp bspw bzgl bzw ca cf ch co corp dept dr
	ebd eq etc evtl ff fig ggf gem hr hrsg inc inkl jr kap lit ltd mio mrd mr mrs ms mwst
	nr nrn op pp prof rn rz sect sog str tel tsd usw vgl viz vol vs zzgl ziff`)

// dotted matches letters with full stops between them. A sentence can end with them, and
// does before a word that starts one.
var dotted = regexp.MustCompile(`^\pL{1,2}(?:\.\pL{1,2})+$`)

var starts = wordset.Of(`the a an he she it they we you i this that these those there his its their in on at for but and when if
	after as no not some many most all one er sie es wir man dies diese dieser das die der den ein eine im am bei für mit
	nach seit und wenn als auch kein keine`)
