package references

import (
	"strings"
)

const (
	// englishNoun and germanNoun are words for documents.
	englishNoun = `(?i:manual|handbook|guide|guidelines?|policy|policies|procedures?|specification|standard|` +
		`report|agreement|contract|instructions?|protocol|playbook|catalogue|plan|code of conduct|` +
		`terms of use|terms and conditions)\b`
	germanNoun = `(?:handbuch(?:e?s)?|anleitung|anweisung|richtlinien?|leitlinien?|leitfadens?|` +
		`merkblatt(?:e?s)?|pflichtenheft(?:e?s)?|lastenheft(?:e?s)?|spezifikation|vorschrift(?:en)?|` +
		`konzept(?:e?s)?|vertrag(?:e?s)?|vereinbarung|bericht(?:e?s)?|protokolls?|katalogs?|plan(?:e?s)?|` +
		`ordnung|verzeichnis(?:ses)?|satzung)`
	// designator tells documents of one kind apart: BA-12, QM 7.3, 2021.
	designator = `(?:[A-Z]{1,5}(?:[-\x5f][A-Z]{1,5})*[-\x5f ]?\d[\w./-]*\w|[A-Z]{1,5}[-\x5f ]?\d|(?:19|20)\d\d\b)`
	quotation  = `(?:"[^"\n]{2,100}"|[“„«»][^"“”«»\n]{2,100}["“”«»])`
)

// isGermanDocument reports whether a word names a document: Wartungshandbuch.
func isGermanDocument(word string) bool { return germanTitle.MatchString(word) }

var (
	germanTitle = pattern(`^\p{Lu}[\p{L}-]+(?:handbuch(?:e?s)?|anleitung|anweisung|richtlinien?|leitlinien?|` +
		`leitfadens?|merkblatt(?:e?s)?|pflichtenheft(?:e?s)?|lastenheft(?:e?s)?|spezifikation|vorschrift)$`)
	germanAlone = pattern(`^\p{Lu}[\p{L}-]+(?:_(?:` + designator + `|` + quotation + `))?`)
	// pointer is a word before a document that is referred to.
	pointer = pattern(`(?:[Ss]iehe|[Vv]gl\.|[Vv]ergleiche|[Gg]emäß|[Ll]aut|[Nn]ach|[Ii]m|[Ii]n|[Aa]us|` +
		`[Vv]om|[Zz]um|[Zz]ur|[Vv]on|[Dd]urch)(?:\s(?:dem|der|das|die|den|des|unserem|unserer|dieser))?\s$|` +
		`(?:^|\s)(?:des|der|dem|das|die)\s$`)
	cue = pattern(`(?i:\bsee|\bper|\bin|\bof|\bfrom|\bto|\bdocument|\bmanual|\bpolicy|\bsiehe|\bvgl\.|` +
		`\bgemäß|\blaut|\bim|\bdokument|\bhandbuch|\brichtlinie|\bleitfaden)(?:\s(?:the|dem|der|das|` +
		`die))?\s$`)

	germanOf = pattern(`^_(?:des|der|dem|zum|zur|im|in_de[rm]|aus_de[rm]|von)_` +
		`(` + quotation + `|(?:` + adjective + `_)?(?:(?:\p{Lu}[\p{L}-]*?)(?i:` + germanNoun + `)|` +
		`\p{Lu}[\p{L}-]*[-\p{Ll}]` + germanNoun + `)(?:_(?:` + designator + `|` + quotation + `))?|(?:` + standards +
		`)|` + designator + `)`)

	// weak are cues that stand before other words in quotation marks as well.
	weak = pattern(`^(?i:per|in|of|from|to|im)\b`)

	quotedForm = pattern(`^` + quotation)
	title      = pattern(`^.\p{Lu}[^.!?:;]{2,}.{1,3}$`)
)

// ofGerman returns the end and the name of the document of a part: Abschnitt 4.2 des
// Wartungshandbuchs.
func ofGerman(text string, at int) (end int, name string) {
	m := germanOf.FindStringSubmatchIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return 0, ""
	}
	return at + m[1], strings.Trim(text[at+m[2]:at+m[3]], `"“”„«»`)
}

// germanDocument reads a document by its name: laut Reisekostenrichtlinie.
func germanDocument(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := germanAlone.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) || !pointer.MatchString(text[max(floor, at-30):at]) {
		return r, at
	}
	end = at + m[1]
	name := text[at:end]
	if !isGermanDocument(name) && !strings.Contains(name, " ") {
		return r, at // a document that is not named: die Richtlinie
	}
	return document(text, at, end, strings.Trim(name, `"“”„«»`))
}

// mention is before a document that is referred to, and not before a heading.
var mention = pattern(`\b(?:[Tt]he|[Oo]ur|[Yy]our|[Tt]his|[Ss]ee|[Pp]er|[Ii]n|[Oo]f|[Uu]nder|[Tt]o|[Ww]ith|` +
	`[Bb]y|[Aa]nd|[Ff]rom)[\s("“]+$`)

var englishAfter = pattern(`^\p{L}+(?:\s(?:for|of|on)\s\p{Lu}[\p{L}-]+(?:\s\p{Lu}[\p{L}-]+){0,3})?(?:\s(?:` +
	designator + `))?`)

// englishDocument reads a document by its name: the Travel Expense Policy.
func englishDocument(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	from := titleBefore(text, floor, at, inDocuments, "&")
	m := englishAfter.FindStringIndex(text[at:])
	if from >= at || m == nil || inWordAt(text, at+m[1]) || !mention.MatchString(text[max(floor, from-12):from]) {
		return r, at
	}
	end = at + m[1]
	return document(text, from, end, text[from:end])
}

// quoted reads a title in quotation marks behind a word that refers to it: see "Safety
// Manual".
func quoted(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := quotedForm.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	name := strings.Trim(text[at:end], `"“”„«»`)
	before := cue.FindString(text[max(floor, at-40):at])
	if before == "" || !title.MatchString(text[at:end]) || months.MatchString(name) ||
		!strings.Contains(name, " ") && weak.MatchString(before) {
		return r, at
	}
	return document(text, at, end, name)
}

const standards = `(?:(?:DIN|EN|ISO|IEC|VDE|ANSI|BS|ASTM|UL)[ /-]?){1,3}\s?(?:\p{Lu}\s?)?\d[\d.:-]*\d` +
	`(?:-\d+)?|(?:TRBS|TRGS|VDI|NFPA|RFC|FIPS|ECE|SOP)[ -]?\p{Lu}?\d[\d.-]*\d|` +
	`IEEE\s(?:Std\s)?\d[\d.]*\d(?:\p{Ll}{1,2})?|NIST\sSP\s\d+-\d+\w?|DGUV\s(?:Vorschrift|Regel|` +
	`Information|Grundsatz)\s\d+(?:-\d+)?|OSHA\s\d+(?:\.\d+)+`

var (
	standardForm   = pattern(`^(?:` + standards + `)(?:,?\s(?:Teil|[Pp]art)\s\d+)?`)
	identifierForm = pattern(`^(?:arXiv:\s?\d{4}\.\d{4,5}(?:v\d+)?|(?i:doi):\s?10\.\d{4,9}/[^\s<>"]+)`)
	byNumberForm   = pattern(`^\p{L}+\s(?:(?:[Nn]o|[Nn]r|[Nn]umber|[Nn]ummer)\.?\s?)?(` + designator + `|` +
		`\d{3,}(?:[-/]\d+)*)`)
	urlForm = pattern(`^(?:https?://|www\.)[^\s<>"“”„«»\x60\\^{}|]+`)
)

// standard reads a standard by its number: DIN EN ISO 9001:2015.
func standard(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := standardForm.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	end = at + len(strings.TrimRight(text[at:at+m[1]], ".:-"))
	return document(text, at, end, text[at:end])
}

// partBehind is a part behind its document: Safety Manual, Section 4.2.
var partBehind = pattern(`^,\s((?:[Ss]ections?|[Cc]hapters?|[Cc]lauses?|[Pp]aragraphs?|Appendix|Annex|` +
	`Kapitel|Abschnitt|Ziffer|Anhang|Anlage)\s` + letter + `(?:` + also + letter + `)*)`)

// document returns the document text[from:end], or the part of it that is named
// behind.
func document(text string, from, end int, name string) (Reference, int) {
	if m := partBehind.FindStringSubmatchIndex(text[end:]); m != nil && !inWordAt(text, end+m[1]) {
		to := end + m[1]
		_, _, other := ofEnglish(text, to)
		_, german := ofGerman(text, to)
		if _, ok := law(text, to, true); !ok && other+german == "" {
			return reference(Section, text, from, to, name, text[end+m[2]:end+m[3]]), to
		}
	}
	return reference(Document, text, from, end, name, ""), end
}

// identifier reads a publication by its number.
func identifier(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := identifierForm.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + len(strings.TrimRight(text[at:at+m[1]], ".,;:)]"))
	return reference(Document, text, at, end, text[at:end], ""), end
}

// byNumber reads a document by its kind and number: Arbeitsanweisung AA-12.
func byNumber(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := byNumberForm.FindStringSubmatchIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) || yearOnly.MatchString(text[at+m[2]:at+m[3]]) {
		return r, at
	}
	end = at + m[1]
	return document(text, at, end, text[at+m[2]:at+m[3]])
}

var yearOnly = pattern(`^(?:19|20)\d\d$`)

// url reads an address of the web, without the punctuation of its sentence.
func url(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := urlForm.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	for {
		t := strings.TrimRight(text[at:end], ".,;:!?'*_")
		switch {
		case strings.HasSuffix(t, ")") && strings.Count(t, "(") < strings.Count(t, ")"),
			strings.HasSuffix(t, "]") && strings.Count(t, "[") < strings.Count(t, "]"):
			t = t[:len(t)-1]
		}
		if at+len(t) == end {
			break
		}
		end = at + len(t)
	}
	if !strings.ContainsRune(text[at:end], '.') && !strings.Contains(text[at:end], "//localhost") {
		return r, end
	}
	return reference(URL, text, at, end, text[at:end], ""), end
}

var (
	numberedForm = pattern(`^\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]`)

	authorName = `\p{Lu}[\p{L}'’-]+`
	someYear   = `(?:1[89]|20)\d\d[a-z]?\b`
	inPages    = `(?:,\s(?:pp?\.|S\.)\s?\d+(?:[-–]\d+)?)?`
	authorForm = pattern(`^` + authorName + `(?:,\s` + authorName + `)?(?:\set\sal\.?|\su\.\s?a\.|` +
		`,?\s(?:and|und|&)\s` + authorName + `),?\s[(\[]` + someYear + inPages + `[)\]]`)
	oneWork = authorName + `(?:,\s` + authorName + `)?(?:\set\sal\.?|\su\.\s?a\.|,?\s(?:and|und|&)\s` + authorName +
		`)?,\s` + someYear + inPages
	inAuthors = pattern(`^\(((?:(?:see|cf\.|e\.g\.,|vgl\.|siehe)\s)?` + oneWork + `(?:;\s` + oneWork + `)*)\)`)
	months    = pattern(`^\(?(?:January|February|March|April|May|June|July|August|September|October|` +
		`November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Version|Stand|Edition|` +
		`Ausgabe)\b`)
)

// numbered reads the number of a source: [12].
func numbered(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := numberedForm.FindStringIndex(text[at:])
	if m == nil || at > 0 && (inWordBefore(text, at) || text[at-1] == ']' && floor < at) {
		return r, at
	}
	end = at + m[1]
	if end < len(text) && (text[end] == '(' || text[end] == ':') { // a link, or the entry itself
		return r, at
	}
	return reference(Numbered, text, at, end, text[at:end], ""), end
}

// author reads a source by its authors and year: Kandel et al. (2021).
func author(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := authorForm.FindStringIndex(text[at:])
	if m == nil || months.MatchString(text[at:]) {
		return r, at
	}
	end = at + m[1]
	return reference(AuthorYear, text, at, end, text[at:end], ""), end
}

// authorInParentheses reads (Kandel et al., 2021; Meier, 2019).
func authorInParentheses(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := inAuthors.FindStringSubmatchIndex(text[at:])
	if m == nil || months.MatchString(text[at:]) {
		return r, at
	}
	end = at + m[1]
	return reference(AuthorYear, text, at+m[2], at+m[3], text[at+m[2]:at+m[3]], ""), end
}
