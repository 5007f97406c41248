package references

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The rules for what a reference begins with, or what is certain to be in it.
var (
	atSign        = []rule{germanLaw}
	atBracket     = []rule{numbered}
	atParenthesis = []rule{authorInParentheses}
	atQuote       = []rule{quoted}
)

// words has the rules for words, as they are or in lower case.
var words = map[string][]rule{}

func add(list string, rules ...rule) {
	for w := range strings.FieldsSeq(list) {
		words[w] = append(words[w], rules...)
	}
}

func init() {
	add("Art", germanOrEnglishArticle)
	add("Artt Artikel Artikels Artikeln", germanLaw)
	add("Nr Nrn Nummer Nummern Ziffer Ziffern Ziff Anlage Anhang Abschn Abschnitt Teil Kapitel Abs Absatz Punkt Unterabschnitt", germanUnit)
	add("Richtlinie Richtlinien RL Verordnung VO Rahmenbeschluss Rahmenbeschlusses Beschluss", euNumber)
	add("Richtlinie Richtlinien Handbuch Leitfaden Merkblatt Leitlinie Vorschrift", germanDocument)
	add("Sozialgesetzbuch Sozialgesetzbuchs Sozialgesetzbuches", germanName)
	add("SGB FGO SGG ZPO VwGO InsO StPO StGB BGB HGB GG AO ZVG TVG BauGB DSGVO", germanShort)

	add("section Section Sections sections Sec Secs article Article Articles articles clause Clause Clauses clauses "+
		"chapter Chapter Chapters chapters paragraph Paragraph Paragraphs paragraphs Para para "+
		"appendix Appendix annex Annex schedule Schedule Part Title subsection Subsection Rule", englishPart)
	add("s ss", sectionOfAct)
	add("Act Regulation Directive Code Constitution", act)

	add("ISO IEC DIN EN VDE VDI IEEE RFC NIST ASTM ANSI BS DGUV TRBS TRGS NFPA OSHA UL API ASME SOP FIPS ECE", standard)
	add("arXiv doi DOI", identifier)
	add("http https www", url)
	add("procedure instruction document form policy guideline specification contract drawing report ticket manual "+
		"Dokument Verfahrensanweisung Arbeitsanweisung Betriebsanweisung Dienstanweisung Prüfanweisung Formular Vertrag Bericht "+
		"Spezifikation Zeichnung Protokoll Handbuch Richtlinie Leitlinie Merkblatt", byNumber)
	add("Manual Handbook Guide Guideline Guidelines Policy Procedure Specification Standard Report Agreement Instruction Instructions "+
		"Protocol Playbook Plan", byNumber, englishDocument)
}

// rulesFor returns the rules that may read a reference from a word.
func rulesFor(word string) []rule {
	if rules, ok := words[word]; ok {
		return rules
	}
	if rules, ok := words[strings.ToLower(word)]; ok && len(word) > 2 {
		return rules
	}
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return nil
	}
	switch {
	case strings.HasSuffix(word, "gesetz"), strings.HasSuffix(word, "gesetzes"), strings.HasSuffix(word, "gesetzbuch"),
		strings.HasSuffix(word, "gesetzbuchs"), strings.HasSuffix(word, "gesetzbuches"):
		return byGermanName
	case len(word) > 2 && strings.HasSuffix(word, "G"):
		return byGermanShort
	case isGermanDocument(word):
		return byGermanDocument
	}
	return byAuthor
}

var (
	byGermanName     = []rule{germanName}
	byGermanShort    = []rule{germanShort}
	byGermanDocument = []rule{germanDocument, author}
	byAuthor         = []rule{author}
)
