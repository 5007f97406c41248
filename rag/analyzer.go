package rag

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/german"

	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
)

// An Analyzer returns the terms by which a text is found, in their order and with
// repetitions. Texts and queries must have the same Analyzer. It must be safe for
// concurrent use.
type Analyzer func(text string) []string

// English returns the words of a text in lower case, without English endings and
// stop words. Scripts that are written without spaces are split into characters
// and pairs of characters.
func English(text string) []string { return textmatch.Split(text, nil) }

// maxStemmed is the length in bytes of a word above which it is not stemmed: the
// Snowball algorithm takes quadratic time, and no word is that long.
const maxStemmed = 100

// German is like [English] for German: endings are removed by the Snowball
// algorithm, and ä, ö, ü and ß become equal to a, o, u and ss.
func German(text string) []string {
	var all []string
	textmatch.Each(text, func(word string, spaced bool) {
		if !spaced {
			all = append(all, word)
			return
		}
		switch {
		case germanStopWords[word]:
		case len(word) > maxStemmed:
			all = append(all, word)
		default:
			env := snowballstem.NewEnv(word)
			german.Stem(env)
			all = append(all, env.Current())
		}
	})
	return all
}

// Analyzers returns an Analyzer for texts in several languages. It returns the
// terms of all of them.
func Analyzers(all ...Analyzer) Analyzer {
	return func(text string) []string {
		var terms []string
		for _, analyze := range all {
			terms = append(terms, analyze(text)...)
		}
		return terms
	}
}

var germanStopWords = wordset.Of(`aber als am an auch auf aus bei beim bin bis bist da dann das dass daß dein deine dem
	den denn der des dessen deren die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
	einer eines er es etwas euer für gibt hab habe haben hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren
	ihrer im in ins ist ja jede jedem jeden jeder jedes kann können könnte man mein meine mich mir mit muss müssen
	nach noch nun nur ob oder sein seine seinem seinen seiner seit sich sie sind so soll sollen sowie um und uns unser
	unsere vom von vor war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden wie wieso
	wir wird wo wurde wurden zu zum zur über`)
