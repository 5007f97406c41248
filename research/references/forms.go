package references

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

// pattern compiles an expression in which _ is the space between two words and ~ is
// one that may be missing, as after a point. A space may be a line break or narrow.
func pattern(expression string) *regexp.Regexp {
	return regexp.MustCompile(spaces.Replace(expression))
}

// at compiles a pattern for the beginning of a text.
func at(expression string) *regexp.Regexp { return pattern(`^(?:` + expression + `)`) }

var spaces = strings.NewReplacer("_", `[\s\x{00a0}\x{202f}]+`, "~", `[\s\x{00a0}\x{202f}]*`)

// A form is how references are written: a lead, if it has one, and the pattern behind it. The
// group ref of the pattern is the reference, or else all of it with the lead; target and part are
// those of the [Reference]. Without the group part, the lead is the part.
type form struct {
	kind    Kind
	begins  []string               // how the first word begins, in lower case; nil: with a capital
	likely  func(text string) bool // looks quickly for what the form needs; may be nil
	lead    *lead                  // may be nil
	pattern *regexp.Regexp

	// adjust changes what was read, and reports whether it is a reference. It may be nil.
	adjust func(text string, r *Reference) bool
}

// isCue reports whether the lead of the form only leads to the reference.
func (f *form) isCue() bool { return f.pattern.SubexpIndex("ref") >= 0 && f.lead != nil }

// A lead is what a form begins with: what first matches, and what more matches behind it, any
// number of times. The pattern of the form may follow each of these steps; the last one counts.
type lead struct {
	first *regexp.Regexp
	more  []*regexp.Regexp
}

var (
	furtherPart = at(further)

	// provisions are those of one law, and germanPart is one of a law or of a document.
	provisions  = &lead{at(provision), []*regexp.Regexp{furtherPart, at(another)}}
	germanPart  = &lead{at(provision + `|` + germanUnit), []*regexp.Regexp{furtherPart}}
	englishPart = &lead{at(englishParts), nil}
	lawAndPart  = &lead{at(`(?:SGB [IVX]+|\p{Lu}\pL*\p{Lu})[ \x{00a0}]` + provision), germanPart.more}
	actLead     = &lead{at(capital), []*regexp.Regexp{at(furtherName)}}
	germanCue   = &lead{at(`(?:[Ss]iehe|[Vv]gl\.|[Vv]ergleiche|[Gg]emäß|[Ll]aut|[Nn]ach|[Ii]m|[Ii]n|[Aa]us|[Vv]om|[Zz]um|[Zz]ur|[Vv]on|[Dd]urch|` +
		`[Dd]e[rsm]|[Dd]as|[Dd]ie)(?:_(?:de[mrsn]|das|die|unsere[mr]|dieser))?_`), nil}
	englishCue = &lead{at(`(?:[Tt]he|[Oo]ur|[Yy]our|[Tt]his|[Ss]ee|[Pp]er|[Ii]n|[Oo]f|[Uu]nder|[Tt]o|[Ww]ith|[Bb]y|[Aa]nd|[Ff]rom)[\s("“]+`), nil}
	titleCue   = &lead{at(`(?i:see|document|manual|policy|siehe|vgl\.|gemäß|laut|dokument|handbuch|richtlinie|leitfaden|` +
		`per|in|of|from|to|im)(?:\s(?:the|dem|der|das|die))?\s`), nil}
)

// inStandard and inDocument are the document of an English part.
var (
	inStandard = at(ofEnglishPart + `(?P<target>(?:` + standards + `|` + designator + `|` + euEnglish + `)` + ofYear + `)`)
	inDocument = at(ofEnglishPart + `(?P<target>(?:` + names + `|` + quotation + `|(?:\p{Ll}[\p{L}-]*\s){0,3}` + englishNoun + `)` + ofYear + `)`)
)

// forms are what [Find] looks for. Of forms that begin at the same place, the first one counts.
var forms = []form{
	{URL, words("http www"), nil, nil, at(`(?:https?://|www\.)[^\s<>"“”„«»\x60\\^{}|]`), address},

	// Provisions of German laws: § 5 Abs. 2 UWG, Nr. 34 der Anlage 2 zum UStG, SGG § 184.
	{Law, words("§ art"), nil, provisions, at(`_(?:(?:in_)?` + article + `_)?(?P<target>` + law + `)`), germanLaw},
	{Law, germanUnits, nil, germanPart, at(`_` + article + `_(?P<target>` + law + `)`), germanLaw},
	{Law, nil, abbreviated, lawAndPart, at(``), lawBefore},

	// Parts of acts: Article 6(1) GDPR, s. 5 of the Consumer Rights Act 2015.
	{Law, partWords, nil, englishPart, at(`,?\s(?P<target>[A-Z]{3,}|` + euEnglish + `|` + names + `\s` + actWord + ofYear + `)`), isLaw},
	{Section, partWords, nil, englishPart, inStandard, ofEnglish},
	{Section, partWords, nil, englishPart, inDocument, ofEnglish},
	{Section, words("§ art"), nil, germanPart, inStandard, ofEnglish},
	{Section, words("§ art"), nil, germanPart, inDocument, ofEnglish},

	// Parts of documents: Abschnitt 4.2 des Wartungshandbuchs, § 12, Section 4.2.
	{Section, slices.Concat(words("§ art"), germanUnits), nil, germanPart, at(ofGerman + `(?P<target>` + quotation + `|(?:` + adjective + `_)?` +
		`\p{Lu}[\p{L}-]*(?i:` + germanNoun + `)(?:_(?:` + designator + `|` + quotation + `))?)`), nil},
	{Section, slices.Concat(words("§ art"), germanUnits), nil, germanPart, at(ofGerman + `(?P<target>` + standards + `|` + designator + `)`), nil},
	{Section, slices.Concat(words("§ art"), germanUnits), nil, germanPart, at(``), ofDocument},
	{Section, partWords, nil, englishPart, at(``), func(_ string, r *Reference) bool { return !ofAct.MatchString(r.Text) }},

	// Laws without a part.
	{Law, words("richtlinie rl verordnung vo rahmenbeschluss beschluss regulation directive decision"), nil, nil, at(euGerman + `|` + euEnglish), named},
	{Law, nil, actAhead, actLead, at(`\s(?:Act|Code|Regulations?|Constitution)` + ofYear + `(?P<part>(?:,\s(?:s|ss|sections?)\.?\s` + items + `)?)`), act},
	{Law, nil, abbreviated, nil, at(`\p{Lu}[\pL-]*(?:gesetzbuch(?:es|s)?|gesetz(?:es)?)(?:_(?:19|20)\d\d\b)?|` +
		`(?:SGB_[IVX]+\b|\p{Lu}\pL*\p{Ll}\pL*G\b|(?:FGO|SGG|ZPO|VwGO|InsO|StPO|StGB|BGB|HGB|GG|AO|ZVG|TVG|BauGB|DSGVO)\b)` +
		ofState + `(?:_(?:19|20)\d\d\b)?`), named},

	// Documents by their number or name.
	{Document, words("din en iso iec vde ansi bs astm ul trbs trgs vdi nfpa rfc fips ece sop ieee nist dguv osha"), nil, nil,
		at(`(?:` + standards + `)(?:,?\s(?:Teil|[Pp]art)\s\d+)?`), document},
	{Document, numberedDocuments, nil, nil, at(`(?i:procedure|instruction|document|form|policy|guideline|specification|contract|drawing|report|ticket|manual|handbook|guide|` +
		`standard|agreement|protocol|dokument|formular|bericht|zeichnung|\p{L}*anweisung|` + germanNoun + `)\s` +
		`(?:(?:[Nn]o|[Nn]r|[Nn]umber|[Nn]ummer)\.?\s?)?(?P<target>` + designator + `|\d{3,}(?:[-/]\d+)*)`), byNumber},
	{Document, words("siehe vgl vergleiche gem laut nach im in aus vom zum zur von durch der des dem das die"), nil, germanCue,
		at(`(?P<ref>` + germanTitle + `(?:_(?:` + designator + `|` + quotation + `))?)`), document},
	{Document, words("the our your this see per in of under to with by and from"), nil, englishCue,
		at(`(?P<ref>` + capital + `(?:\s(?:(?:and|of|for)\s){0,2}` + capital + `){0,7}\s` + englishTitle + `(?:\s(?:for|of|on)\s` + capital +
			`(?:\s` + capital + `){0,3})?(?:\s` + designator + `)?)`), document},
	{Document, words("see document manual policy siehe vgl gem laut dokument handbuch richtlinie leitfaden per in of from to im"), nil, titleCue,
		at(`(?P<ref>` + quotation + `)`), title},
}

// The words that parts and numbered documents begin with.
var (
	partWords         = words("section article chapter part title appendix annex schedule exhibit clause paragraph subsection sec s ss para rule art")
	numberedDocuments = words("procedure instruction document form policy guideline specification contract drawing report ticket manual handbook " +
		"guide standard agreement protocol dokument formular bericht zeichnung arbeitsanw verfahrensanw betriebsanw dienstanw prüfanw " +
		"handbuch richtlinie leitlinie leitfaden merkblatt spezifikation vorschrift vertrag protokoll plan")
	germanUnits = words("ziff anlage anhang abschn teil kapitel abs punkt unterabschnitt nr nummer")
)

func words(list string) []string { return strings.Fields(list) }

// The parts of a German citation.
const (
	digit = `\d+(?:\.\d+)*(?:~[a-eghj-lo-tv-z]\b|[a-z]{1,2}\b)?`

	// value is what a unit has: 3, 3a, IV, aa, a).
	value = `(?:\d+~[a-z]\)|` + digit + `|[IVX]+\b|[a-z]{1,2}\b\)?|[A-RT-Z]\b)`
	unit  = `(?:Abs(?:[aä]tz\pL*)?|S(?:[aä]tz\pL*)?|Nrn?|Nummern?|(?:Doppelb|B)uchst\pL*|lit|` +
		halfSentence + `|Teils(?:[aä]tz\pL*)?|Fall|Anlage|Anhang|Anh|Erwägungsgr\pL+|Alt(?:ernativen?)?|Var(?:iante)?|` +
		`Unterabs(?:atz)?|UAbs|Ziff(?:ern?)?|Spiegelstrich|Sp|Teil|H[Ss])\b\.?`
	halfSentence = `(?:Eingangs)?[Hh]albs(?:[aä]tz\pL*)?`

	// further is what may follow a part: a further value, Abs. 2, (2), Halbs. 1, letzter Halbsatz.
	further = `~(?:,|und|oder|u\.|bis|sowie|bzw\.|-|–|/)~` + value + `|_(?:and|or|to|through)_\d+(?:\.\d+)*|~f{1,2}\b\.?|` +
		`(?:_(?:de[rs]_)?|~,~|~(?:und|oder|bis|sowie|bzw\.|/)~|~)` + unit + `~` + value + `|~\((?:Abs\.?~)?\d+[a-z]?\)|\([a-z]{1,3}\)|` +
		`_(?:(?:letzter|erster|zweiter|\d\.)_)?` + halfSentence + `\b\.?`
	sign      = `(?:§{1,2}|\b(?:Artikeln|Artikels|Artikel|Artt\.|Art\b\.?))`
	provision = `(?:\bArt\.?~[IVX]+~§{1,2}|` + sign + `)~` + digit

	// another provision of the same law, or another part of the provision.
	another = `~[,;]?~(?:i\.?~V\.?~(?:m\.|mit|m)|iVm\.?|in_Verbindung_mit|und|oder|sowie|bzw\.|bis|,|jeweils|auch)~(?:de[nmrs]_)?` +
		`(?:(?:` + sign + `~)?` + digit + `|` + unit + `~` + value + `)`

	// germanUnit is a part that has no section sign, and germanSection one of documents.
	germanSection = `\b(?:Ziffern?|Ziff\b\.?|Anlage|Anhang|Abschn(?:itt)?\b\.?|Teil|Kapitel|Absatz\b|Punkt|Unterabschnitt)` + number
	germanUnit    = `(?:` + germanSection + `|\b(?:Nrn?\b\.?|Nummern?|Abs\b\.?)` + number + `)`
	number        = `_(?:` + digit + `|[IVX]+\b|[A-Z]\b)`
)

// German laws.
const (
	law = `(?:` + euGerman + `|(?:SGB(?:_|-)(?:[IVX]+|\d{1,2})\b|` + shortLaw + `)` + ofState + `(?:_(?:19|20)\d\d\b)?|` +
		`(?:` + adjective + `_)*` + lawName + `(?:_(?:19|20)\d\d\b)?)`
	shortLaw  = `\p{Lu}[\pL]*(?:-?\p{Lu}\pL*|-\d+)+(?:-(?:\p{Lu}[\pL]*|[IVX]+))*(?:\.[A-Z]{3,})?`
	ofState   = `(?:_(?:NRW|NW|SH|BW|RP|RhPf|LSA|MV|SL|SN|TH|BB|HE|NI|Bln|Bbg|Hmb|Nds)\b)?`
	ofGerman  = `_(?:des|der|dem|zum|zur|im|in_de[rm]|aus_de[rm]|von)_`
	article   = `(?:des|der|dem|zum|zur|die|das|dieses|dieser|eines|einer)`
	adjective = `(?:\p{Lu}\p{Ll}+(?:en|es|er|em|n|s|[ts]te)|\p{Ll}+isch(?:en|es|er|em|e))`
	lawName   = `(?:Sozialgesetzbuch(?:s|es)?_\p{Lu}\p{Ll}+tes_Buch\b|(?:\p{Lu}\p{Ll}+-_und_)?(?:\p{Lu}[\pL-]*)?` +
		`(?i:gesetzbuch(?:es|s)?|gesetz(?:es|en|e)?|verordnung|ordnung|verfassung|satzung|vertrag(?:es|s)?|` +
		`vereinbarung|richtlinien?|konvention|statut(?:s|en)?|charta|(?:überein|ab)kommens?)\b)`
	euGerman = `(?:Richtlinien?|RL|Verordnung|VO|(?:Rahmenb|B)eschluss(?:es)?)_(?:[(<]~E[GUWu]\pL*(?:,~Euratom)?~[)>]_)?` +
		`(?:Nr\.?_)?\d+~/~\d+(?:~/~(?:E[GUWu]\pL*|JI|GASP)\b)?`
)

// English parts, and the names that follow.
const (
	// item is the number of a part: 4.2, 3a, 12(b)(6). letter is that of an annex, and roman a
	// number of what is written with a capital.
	item   = `\d+(?:[.-]\d+)*[a-z]?(?:\(\w{1,5}\))*`
	letter = `(?:` + item + `|[A-Z](?:[.-]\d+)*\b)`
	roman  = `(?:` + item + `|[IVX]+\b)`
	also   = `(?:,|,?\s(?:and|or|to|through)|\s?[-–])\s?`
	items  = item + `(?:` + also + item + `)*`

	englishParts = `\b(?:(?:Appendix|Annex|Schedule|Part|Exhibit)\s` + letter + `(?:` + also + letter + `)*|` +
		`(?:Sections?|Articles?|Chapters?|Parts?|Title)\s` + roman + `(?:` + also + roman + `)*|` +
		`(?:(?i:sections?|articles?|clauses?|chapters?|paragraphs?|appendix|annex|schedule|subsection|part)|` +
		`Secs?\.?|ss?\.?|[Pp]ara\.?|Rule|Art\.)\s` + items + `)`

	ofEnglishPart = `,?\s(?:of|in|to|from|under)\s(?:the\s|this\s|our\s|its\s)?`
	capital       = `\p{Lu}[\p{L}\d'’&-]*`
	furtherName   = `\s(?:(?:and|of|for|on|in|at|to|the|with)\s){0,2}` + capital
	names         = capital + `(?:` + furtherName + `)*`
	ofYear        = `(?:,?\s(?:of\s)?(?:1[6-9]|20)\d\d\b)?`
	euEnglish     = `(?:Regulation|Directive|Decision)\s(?:\((?:EU|EC|EEC|Euratom)\)\s)?(?:No\s)?\d+/\d+(?:/(?:EU|EC|EEC))?`
	actWord       = `(?:Act|Code|Regulations?|Directive|Constitution|Charter|Treaty|Convention|Statutes?|Ordinance|Order|Rules|Law)`
)

// Documents.
const (
	englishNoun = `(?i:manual|handbook|guide|guidelines?|policy|policies|procedures?|specification|standard|` +
		`report|agreement|contract|instructions?|protocol|playbook|catalogue|plan|code of conduct|` +
		`terms of use|terms and conditions)\b`
	englishTitle = `(?:Manual|Handbook|Guide|Guidelines?|Policy|Procedure|Specification|Standard|Report|Agreement|` +
		`Instructions?|Protocol|Playbook|Plan)`
	germanNoun = `(?:handbuch(?:e?s)?|anleitung|anweisung|richtlinien?|leitlinien?|leitfadens?|` +
		`merkblatt(?:e?s)?|pflichtenheft(?:e?s)?|lastenheft(?:e?s)?|spezifikation|vorschrift(?:en)?|` +
		`konzept(?:e?s)?|vertrag(?:e?s)?|vereinbarung|bericht(?:e?s)?|protokolls?|katalogs?|plan(?:e?s)?|` +
		`ordnung|verzeichnis(?:ses)?|satzung)`
	germanTitle = `(?:\p{Lu}[\p{L}-]+(?:handbuch(?:e?s)?|anleitung|anweisung|richtlinien?|leitlinien?|` +
		`leitfadens?|merkblatt(?:e?s)?|pflichtenheft(?:e?s)?|lastenheft(?:e?s)?|spezifikation|vorschrift))`
	standards = `(?:(?:DIN|EN|ISO|IEC|VDE|ANSI|BS|ASTM|UL)[ /-]?){1,3}\s?(?:\p{Lu}\s?)?\d[\d.:-]*\d(?:-\d+)?|` +
		`(?:TRBS|TRGS|VDI|NFPA|RFC|FIPS|ECE|SOP)[ -]?\p{Lu}?\d[\d.-]*\d|` +
		`IEEE\s(?:Std\s)?\d[\d.]*\d(?:\p{Ll}{1,2})?|NIST\sSP\s\d+-\d+\w?|DGUV\s(?:Vorschrift|Regel|` +
		`Information|Grundsatz)\s\d+(?:-\d+)?|OSHA\s\d+(?:\.\d+)+`
	// designator tells documents of one kind apart: BA-12, QM 7.3, 2021.
	designator = `(?:[A-Z]{1,5}(?:[-\x5f][A-Z]{1,5})*[-\x5f ]?\d[\w./-]*\w|[A-Z]{1,5}[-\x5f ]?\d|(?:19|20)\d\d\b)`
	quotation  = `(?:"[^"\n]{2}[^"\n]*"|[“„«»][^"“”«»\n]{2}[^"“”«»\n]*["“”«»])`
)

var (
	// notALaw are names that look like those of laws.
	notALaw = pattern(`^(?:BGH|BVerfG|BVerwG|BAG|BFH|BSG|EuGH|OLG|LSG|DM|EUR|Rd[Nn]rn?|TzBf|AP|EzA|SozR|PDF|` +
		`USA|EU|DIN|EN|ISO|IEC|VDE|VDI|[IVX]+)$`)
	// contract is a document that is not a law.
	contract = pattern(`(?i)(?:vertrag(?:es|s)?|vereinbarung|satzung|richtlinien?)(?:_\d+)?$`)
	// margin follows a section of a commentary on a law.
	margin     = pattern(`^[\s,;:]*(?:Rn|Rdn|Rdnr|Rnrn|Rz|Randnr|Randnummern?|Randziffern?|Anm|Bem|Erl)\b`)
	beforePart = regexp.MustCompile(`^(?:SGB [IVX]+|\pL+)`)
	lawAfter   = pattern(`^_(?:` + article + `_)?` + law)

	actName = regexp.MustCompile(`\b` + actWord + `$`)
	acronym = regexp.MustCompile(`^[A-Z]{3,}$`)
	anEUAct = regexp.MustCompile(`^` + euEnglish)
	ofAct   = regexp.MustCompile(`^ss?\b`)
	ofLaw   = regexp.MustCompile(`^(?:N|Abs\b)`)
	year    = regexp.MustCompile(`,?\s(?:of\s)?(?:1[6-9]|20)\d\d$`)
	court   = regexp.MustCompile(`^(?:B(?:Verf|Verw|Pat)G|EuG|Bay\pL*G|\pL*VerfG)$`)
	behind  = pattern(`^(?:-?[Kk]omm|_§)`)

	// anotherPart matches the end of a name that takes in the part that follows it: of the Fee
	// Rules and Section 7.
	anotherPart = regexp.MustCompile(`(?:,|,?\s(?:and|or|with|to|in))\s(?:Appendix|Annex|Schedule|Parts?|Exhibit|Sections?|Articles?|Chapters?|` +
		`Title|Clauses?|Paragraphs?|Subsection|Rule|Recitals?|Art|Secs?)$`)

	// partBehind is a part behind its document, and ofOther what makes it that of another one.
	partBehind = pattern(`^,\s(?:(?:[Ss]ections?|[Cc]hapters?|[Cc]lauses?|[Pp]aragraphs?|Appendix|Annex|` +
		`Kapitel|Abschnitt|Ziffer|Anhang|Anlage)\s` + letter + `(?:` + also + letter + `)*)`)
	ofOther = regexp.MustCompile(`^\s(?:of|in|to|from|under|des|der|dem|zum|zur|im|von)\s`)

	yearOnly  = regexp.MustCompile(`^(?:19|20)\d\d$`)
	weakCue   = regexp.MustCompile(`(?i)(?:^|\s)(?:per|in|of|from|to|im)(?:\s(?:the|dem|der|das|die))?\s$`)
	titleForm = regexp.MustCompile(`^.\p{Lu}[^.!?:;]{2,100}.{1,3}$`)
	months    = regexp.MustCompile(`^(?:January|February|March|April|May|June|July|August|September|October|` +
		`November|December|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Version|Stand|Edition|Ausgabe)\b`)
)

// beginning are words that begin a sentence or lead to a name.
var beginning = wordset.Of(`
	the The This That These Under In A An Our Its By See Per And and or Or of on in at to with for For Any Each Such Of To Since Because If
	When While With Der Die Das Dem Den Des`)

// cut shortens a reference to its part from a byte of its text to another one.
func (r *Reference) cut(from, to int) {
	r.Text, r.From, r.To = r.Text[from:to], r.From+from, r.From+to
}

// maxAddress is the number of bytes after which an address is cut off.
const maxAddress = 2000

// address reads an address of the web, without the punctuation of its sentence.
func address(text string, r *Reference) bool {
	rest := text[r.From:min(len(text), r.From+maxAddress)]
	if end := strings.IndexFunc(rest, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune("<>\"“”„«»`\\^{}|\ufffd", c)
	}); end > 0 {
		rest = rest[:end]
	}
	r.Text, r.To = rest, r.From+len(rest)
	for {
		t := strings.TrimRight(r.Text, ".,;:!?'*_")
		switch {
		case strings.HasSuffix(t, ")") && strings.Count(t, "(") < strings.Count(t, ")"),
			strings.HasSuffix(t, "]") && strings.Count(t, "[") < strings.Count(t, "]"):
			t = t[:len(t)-1]
		}
		if len(t) == len(r.Text) {
			break
		}
		r.cut(0, len(t))
	}
	r.Target = r.Text
	return strings.Contains(r.Text, ".") || strings.Contains(r.Text, "//localhost")
}

func germanLaw(_ string, r *Reference) bool {
	if contract.MatchString(r.Target) {
		r.Kind = Section
	}
	last, _ := utf8.DecodeRuneInString(r.Target[strings.LastIndexFunc(r.Target, unicode.IsSpace)+1:])
	return !unicode.IsLower(last) && !notALaw.MatchString(r.Target)
}

// abbreviated reports whether a text begins with what may be the name of a law, such as ArbSchG.
func abbreviated(text string) bool {
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }); end >= 0 {
		text = text[:end]
	}
	return strings.Contains(text, "gesetz") || strings.LastIndexFunc(text, unicode.IsUpper) > 0
}

// actAhead reports whether a text has the last word of the name of an act.
func actAhead(text string) bool {
	return slices.ContainsFunc(acts, func(word string) bool { return strings.Contains(text, word) })
}

var acts = words("Act Code Regulation Constitution")

func lawBefore(text string, r *Reference) bool {
	r.Target = beforePart.FindString(r.Text)
	r.Part = r.Text[len(r.Target):]
	return !notALaw.MatchString(r.Target) && !lawAfter.MatchString(text[r.To:])
}

func isLaw(_ string, r *Reference) bool { return !notALaw.MatchString(r.Target) }

func ofDocument(text string, r *Reference) bool {
	return !ofLaw.MatchString(r.Text) && !margin.MatchString(text[r.To:])
}

// ofEnglish tells laws and documents apart, and ends a name before the next part.
func ofEnglish(_ string, r *Reference) bool {
	if m := anotherPart.FindStringIndex(r.Target); m != nil {
		r.cut(0, len(r.Text)-len(r.Target)+m[0])
		r.Target = r.Target[:m[0]]
	}
	name := year.ReplaceAllString(r.Target, "")
	quoted := strings.Trim(name, `"“”„`) != name
	switch {
	case actName.MatchString(name) && strings.Contains(r.Target, " "), anEUAct.MatchString(name),
		acronym.MatchString(name) && !notALaw.MatchString(name):
		r.Kind = Law
		return true
	}
	return !ofAct.MatchString(r.Text) && (strings.Contains(r.Target, " ") || quoted || strings.ContainsAny(name, "0123456789"))
}

func named(text string, r *Reference) bool {
	r.Target = r.Text
	rest := text[r.To:]
	return !court.MatchString(r.Text) && !behind.MatchString(rest) && !margin.MatchString(rest)
}

// act leaves out the words before the name of an act.
func act(_ string, r *Reference) bool {
	r.cut(nameIn(r.Text), len(r.Text))
	r.Target, r.Part = strings.TrimSuffix(r.Text, r.Part), strings.TrimPrefix(r.Part, ", ")
	return strings.Contains(year.ReplaceAllString(r.Target, ""), " ")
}

// nameIn returns where a name begins: behind the words that lead to it.
func nameIn(text string) (at int) {
	for {
		word, _, more := strings.Cut(text[at:], " ")
		if !more || !beginning[word] {
			return at
		}
		at += len(word) + 1
	}
}

// document adds the part behind a document: Safety Manual, Section 4.2.
func document(text string, r *Reference) bool {
	r.cut(nameIn(r.Text), len(strings.TrimRight(r.Text, ".:-")))
	r.Target = r.Text
	if !strings.ContainsAny(r.Target, " -0123456789") && slices.Contains([]string{"Richtlinie", "Handbuch"}, r.Target) {
		return false
	}
	return withPart(text, r)
}

func withPart(text string, r *Reference) bool {
	if m := partBehind.FindStringIndex(text[r.To:]); m != nil {
		if to := r.To + m[1]; !inWordAt(text, to) && !ofOther.MatchString(text[to:]) {
			r.Kind, r.Part = Section, strings.TrimPrefix(text[r.To:to], ", ")
			r.Text, r.To = text[r.From:to], to
		}
	}
	return true
}

func byNumber(text string, r *Reference) bool {
	return !yearOnly.MatchString(r.Target) && withPart(text, r)
}

// title reports whether what is in quotation marks is a title. One word behind a weak cue, such
// as of, is none.
func title(text string, r *Reference) bool {
	r.Target = r.Text
	weak := weakCue.MatchString(text[max(0, r.From-12):r.From])
	return titleForm.MatchString(r.Text) && !months.MatchString(strings.Trim(r.Target, `"“”`)) && (!weak || strings.Contains(r.Target, " ")) && withPart(text, r)
}
