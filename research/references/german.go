package references

import (
	"regexp"
	"strings"
)

// pattern compiles an expression in which _ is the space between two words and ~ is
// one that may be missing, as after a point. A space may be a line break or narrow.
func pattern(expression string) *regexp.Regexp {
	return regexp.MustCompile(spaces.Replace(expression))
}

var spaces = strings.NewReplacer("_", `[\s\x{00a0}\x{202f}]+`, "~", `[\s\x{00a0}\x{202f}]*`)

// The parts of a German citation, for [pattern].
const (
	digit = `\d+(?:\.\d+)*(?:~[a-eghj-lo-tv-z]\b|[a-z]{1,2}\b)?`

	// value is what a unit has: 3, 3a, IV, aa, a).
	value = `(?:\d+~[a-z]\)|` + digit + `|[IVX]+\b|[a-z]{1,2}\b\)?|[A-RT-Z]\b)`
	unit  = `(?:` + unitWord + `|Alternativen?|Alt|Variante|Var|Unterabs(?:atz)?|UAbs|Ziffern?|Ziff|` +
		`Spiegelstrich|Sp|Teil|HS|Hs)\b\.?`
	unitWord = `Abs(?:ätzen|ätze|atzes|atz)?|Sätzen|Sätze|Satzes|Satz|S|Nrn|Nr|Nummern?|Buchst(?:aben|abe)?|` +
		`Doppelbuchst(?:aben|abe)?|lit|` +
		halfSentence + `|Teils(?:ätze|atzes|atz)?|Fall|Anlage|Anhang|Anh|Erwägungsgr(?:ünde|und)`
	halfSentence = `(?:Eingangs)?[Hh]albs(?:ätze|atzes|atz)?`

	list  = `(?:~(?:,|und|oder|u\.|bis|sowie|bzw\.|-|–|/)~` + value + `|_(?:and|or|to|through)_\d+(?:\.\d+)*)*`
	more  = `(?:~f{1,2}\b\.?)?`
	along = `(?:_(?:de[rs]_)?|~,~|~(?:und|oder|bis|sowie|bzw\.|/)~|~)`

	// units are the parts of a provision: Abs. 2 Satz 1, (2), Halbs. 1, letzter Halbsatz.
	units = `(?:` + along + unit + `~` + value + list + more + `|~\((?:Abs\.?~)?\d+[a-z]?\)|\([a-z]{1,3}\)|` +
		`_(?:(?:letzter|erster|zweiter|\d\.)_)?` + halfSentence + `\b\.?)*`
	chain = `(?:~[,;]?~(?:i\.?~V\.?~(?:m\.|mit|m)|iVm\.?|in_Verbindung_mit|und|oder|sowie|bzw\.|bis|,|` +
		`jeweils|auch)~)(?:de[nmrs]_)?`
	sign    = `(?:§{1,2}|(?:Artikeln|Artikels|Artikel|Artt\.|Art\b\.?))`
	numbers = digit + list + more + units
)

var (
	// begin is the first provision of a citation.
	begin = pattern(`^(?:Art\.?~[IVX]+~§{1,2}|` + sign + `)~` + numbers)
	// beginUnit is a part of a law or a document that has no section sign.
	beginUnit = pattern(`^(?:Nrn?\b\.?|Nummern?|Ziffern?|Ziff\b\.?|Anlage|Anhang|Abschn(?:itt)?\b\.?|Teil|` +
		`Kapitel|Abs(?:atz)?\b\.?|Punkt|Unterabschnitt)` +
		`_(?:` + digit + `|[IVX]+\b|[A-Z]\b)` + list + more + units)
	// next is another one of the same law.
	next = pattern(`^` + chain + `(?:` + sign + `~)?` + numbers)
	// nextUnit is another part of the same provision.
	nextUnit = pattern(`^` + chain + unit + `~` + value + list + more + units)

	// abbreviated is a law by its abbreviation: it has two capitals.
	abbreviated = pattern(`^_(?:(des|der|dem|zum|zur)_)?((?:SGB_(?:[IVX]+|\d{1,2})\b|SGB-[IVX]+\b|` + agreement +
		`|` + shortLaw + `)` + place +
		`(?:_(?:19|20)\d\d\b)?` + old + `)`)
	// named is a law or a document by its name, after a provision.
	named = pattern(`^_(?:(?:in_)?` + article + `_)?((?:` + adjective + `_){0,3}` + lawName + land + `|` +
		`\d+\._` + shortLaw + `)`)
	// about goes on after a name with the subject of the law. Its end is that of a
	// date, or the abbreviation that follows.
	about = pattern(`^_(?:über|zur|zum|für|betreffend|von)_(?:[^.;()<>]|\((?:EU|EG|EWG)\)|` +
		`\(Artikel[^()]*\))+?(_[(<]~[^()<>]{0,80}?` + shortLaw + `~-?~[)>]|_\(?vom_\d)`)
	short = pattern(`^_[(<]~(?:[^()<>]{0,80}? [-–] ?)?` + shortLaw + `~[-–]?~[)>]`)
	dated = pattern(`^,?_(?:(?:in_der_Fassung|i\.~d\.~F\.|idF)_(?:der_Bekanntmachung_)?)?vom_` + date + gazette + `?`)
	// enacted is a date with the gazette of the law.
	enacted = pattern(`^_(?:vom_` + date + gazette + `|\(vom_` + date + `(?:,| [-–])_` + journalOfLaws + `[^()]{0,40}\))`)
	year    = pattern(`^_(?:19|20)\d\d\b`)
)

const (
	shortLaw  = `\p{Lu}[\pL]*(?:-?\p{Lu}\pL*|-\d+)+(?:-(?:\p{Lu}[\pL]*|[IVX]+))*(?:\.[A-Z]{3,})?`
	agreement = `(?:(?:NV|TV-Ärzte|TV)(?:_\p{Lu}[\pL-]+){1,2}|[A-Z]{1,3}TV_\p{Lu}[\pL-]+_(?:19|20)\d\d\b)`
	place     = `(?:_(?:NRW|NW|SH|BW|RP|RhPf|LSA|MV|SL|SN|TH|BB|HE|NI|Bln|Bbg|Hmb|Nds)\b(?:_[IVX]+\b)?|` +
		`~/~(?:VKA|Bund|TV[\pL-]+)\b)?`
	article   = `(?:des|der|dem|zum|zur|die|das|dieses|dieser|eines|einer)`
	adjective = `(?:\p{Lu}\p{Ll}+(?:en|es|er|em|n|s|[ts]te)|\p{Ll}+isch(?:en|es|er|em|e))`
	lawName   = `(?:Sozialgesetzbuch(?:s|es)?_\p{Lu}\p{Ll}+tes_Buch\b|(?:\p{Lu}\p{Ll}+-_und_)?\p{Lu}[\pL-]*` +
		`(?:gesetzbuch(?:es|s)?|gesetz(?:es|en|e)?|verordnung|ordnung|verfassung|satzung|vertrag(?:es|s)?|` +
		`vereinbarung|richtlinien?|konvention|statut(?:s|en)?|charta)\b|` +
		`(?:Gesetz(?:es|buch(?:es|s)?)?|Verordnung|Verfassung|Konvention|Vertrag(?:es|s)?|Vereinbarung|` +
		`Satzung|Richtlinien?|Übereinkommens?|Abkommens?)\b)`
	// land is the state whose law it is.
	land = `(?:_(?:des|der|für|von)_(?:(?:de[nrs]|das)_)?(?:(?:Freistaate?s?|Land(?:es)?)_\p{Lu}[\pL-]+|` +
		`Saarlandes|Bundes\b|Vereinten_Nationen))?`
	old  = `(?:_(?:a\.~F\.|n\.~F\.|aF\b|nF\b))?`
	date = `\d{1,2}\.~(?:\d{1,2}\.|\p{Lu}\p{Ll}+)~\d{4}`

	journalOfLaws = `(?:BGBl|RGBl|GVBl|GVOBl|GV\b|BAnz|Amtsbl|ABl|\p{Lu}\pL*GVBl|\p{Lu}\pL*ABl|` +
		`Gesetz- und Verordnungsblatt)`
	gazette = `(?:_[(<\[]~` + journalOfLaws + `[^()\[\]]{0,80}[)>\]]|,~` + journalOfLaws + `\.?_[IVX]*~` +
		`(?:S\.?~)?\d+)`
)

// germanLaw reads provisions: § 5 Abs. 2 UWG, Art. 2 Abs. 1 in Verbindung mit Art.
// 20 Abs. 3 GG, §§ 54, 55 des Energiesteuergesetzes. Without a law they are
// those of the document itself.
func germanLaw(s *scan, at int) (r Reference, end int) {
	return provisions(s, at, begin)
}

// germanUnit reads a part of a law or a document: Nr. 34 der Anlage 2 zum UStG,
// Kapitel 3, Abschnitt 4.2 des Wartungshandbuchs.
func germanUnit(s *scan, at int) (r Reference, end int) {
	return provisions(s, at, beginUnit)
}

func provisions(s *scan, at int, first *regexp.Regexp) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := first.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	from, end := at, trimmed(text, at, at+m[1])
	part, target, isLaw := end, "", false
	for first == beginUnit || at >= s.barren {
		if l, ok := law(text, end, first == beginUnit); ok {
			end, target, isLaw = l.end, l.name, l.isLaw
			break
		}
		if first == beginUnit {
			break
		}
		n := next.FindString(text[end:])
		if n == "" {
			n = nextUnit.FindString(text[end:])
		}
		if n == "" {
			s.barren = end
			break
		}
		end = trimmed(text, from, end+len(n))
	}
	if target == "" {
		// Numbers after the first provision may be something else.
		end = part
		start := max(floor, from-20)
		if m := leading.FindStringSubmatch(text[start:from]); m != nil && first == begin && !notLaw.MatchString(m[1]) {
			// SGG § 184 Abs 1
			from, target, isLaw = from-len(m[0])+strings.Index(m[0], m[1]), m[1], true
		}
	} else {
		part = min(part, end)
	}
	switch {
	case !isLaw && first == beginUnit && !section.MatchString(text[at:]):
		return r, part
	case commentary(text, floor, from, end, target):
		return r, end
	case isLaw:
		return reference(Law, text, from, end, target, text[at:part]), end
	case target == "":
		if to, name := ofGerman(text, end); to > 0 {
			return reference(Section, text, from, to, name, text[at:part]), to
		}
		if kind, to, name := ofEnglish(text, end); name != "" {
			return reference(kind, text, from, to, name, text[at:part]), to
		}
	}
	return reference(Section, text, from, end, target, text[at:part]), end
}

var (
	// leading is a law before the provision.
	leading = pattern(`(?:^|[\s(])((?:SGB [IVX]+|\p{Lu}\pL*\p{Lu}))[ \x{00a0}]$`)
	// section is a part that documents have.
	section = pattern(`^(?:Ziffer|Ziff|Anlage|Anhang|Abschn|Teil|Kapitel|Absatz|Punkt|Unterabschnitt)`)

	// margin follows a section of a commentary on a law, and edition is before it.
	margin = pattern(`^[\s,;:]*(?:Rn|Rdn|RdNr|Rdnr|Rdnrn|RdNrn|Rnrn|Rz|Randnr|Randnummer|Randnummern|` +
		`Randziffer|Randziffern|Anm|Bem|Erl|Nr\.?\s*\d+\s*R)\b`)
	// collection is a collection of decisions, which is ordered by provisions.
	collection = pattern(`(?:SozR|Buchholz|BGHR|AP|EzA|StRK|LM)\b[\s\d.–-]*(?:Nrn?\.?[\s\d,]*` +
		`(?:und\s\d+\s)?)?(?:zu\s)?$`)
	edition = pattern(`(?:Aufl(?:age)?\.?|Stand\s[^,;()]{1,30}|a\.?\s?a\.?\s?O\.?|[Kk]ommentar|[Kk]omm\.|` +
		`EL|Lfg\.?|HStR|\d+/\d+|EzA|NZA|StGB|juris|\d{4})[\s,:]*$`)
)

// commentary reports whether a section is one of a commentary on a law.
func commentary(text string, floor, from, end int, target string) bool {
	before := text[max(floor, from-60):from]
	return margin.MatchString(text[end:]) || collection.MatchString(before) || target == "" && edition.MatchString(before)
}

// trimmed leaves out spaces and signs at the end.
func trimmed(text string, from, end int) int {
	for end > from && strings.ContainsRune(" ,;(", rune(text[end-1])) {
		end--
	}
	return end
}

// A lawful is the name of a law or of a document behind a provision.
type lawful struct {
	end   int
	name  string
	isLaw bool
}

// law returns the law or the document that text[at:] begins with. If linked is true,
// an abbreviation needs an article: Anlage 2 zum UStG.
func law(text string, at int, linked bool) (l lawful, ok bool) {
	rest := text[at:]
	if m := euLaw.FindStringSubmatchIndex(rest); m != nil {
		return lawful{at + m[1], rest[m[2]:m[3]], true}, true
	}
	m := abbreviated.FindStringSubmatchIndex(rest)
	if m != nil && !notLaw.MatchString(rest[m[4]:m[5]]) && (!linked || m[2] >= 0) {
		l = lawful{at + m[5], rest[m[4]:m[5]], true}
		if m := enacted.FindStringIndex(text[l.end:]); m != nil {
			l.end += m[1]
		}
		return l, true
	}
	m = named.FindStringSubmatchIndex(rest)
	if m == nil {
		return l, false
	}
	name := rest[m[2]:m[3]]
	l = lawful{at + m[3], name, !contract.MatchString(name)}
	l.end = fullName(text, l.end)
	if n := numberedAs.FindStringIndex(text[l.end:]); n != nil && !l.isLaw && !inWordAt(text, l.end+n[1]) {
		l.end += n[1]
	}
	l.name = text[at+m[2] : l.end]
	if m := short.FindStringIndex(text[l.end:]); m != nil && dated.MatchString(text[l.end+m[1]:]) {
		l.end += m[1]
	} else if m := year.FindStringIndex(text[l.end:]); m != nil {
		l.end += m[1]
	}
	if m := dated.FindStringIndex(text[l.end:]); m != nil {
		l.end += m[1]
	}
	return l, true
}

// maxSubject is the number of bytes in which the subject of a law ends.
const maxSubject = 500

// fullName returns the end of the subject of a law: über das Verlagsrecht.
func fullName(text string, end int) int {
	if m := about.FindStringSubmatchIndex(text[end:min(len(text), end+maxSubject)]); m != nil {
		return end + m[2]
	}
	return end
}

var (
	// contract is a document that is not a law.
	contract = pattern(`(?i)(?:vertrag(?:es|s)?|vereinbarung|satzung|richtlinien?)$`)

	// numberedAs tells contracts apart.
	numberedAs = pattern(`^_(?:` + designator + `|` + quotation + `)`)

	// notLaw are names that look like those of laws.
	notLaw = pattern(`^(?:BGH|BVerfG|BVerwG|BAG|BFH|BSG|EuGH|OLG|LSG|DM|EUR|Rd[Nn]rn?|TzBf|AP|EzA|SozR|PDF|` +
		`USA|EU|DIN|EN|ISO|IEC|VDE|VDI|[IVX]+)$`)

	euLaw   = pattern(`^_(?:(?:der|des|zu|zur)_)?(` + euName + `)`)
	euAlone = pattern(`^` + euName)
)

const euName = `(?:Richtlinien?|RL|Verordnung|VO|Rahmenbeschluss(?:es)?|Beschluss)_(?:[(<]~(?:EG|EU|EWG|` +
	`Euratom)(?:,~Euratom)?~[)>]_)?(?:Nr\.?_)?` +
	`\d+~/~\d+(?:~/~(?:EG|EU|EWG|JI|GASP|Euratom)\b)?`

// euNumber reads directives and regulations that are named without an article.
func euNumber(s *scan, at int) (r Reference, end int) {
	text := s.text
	if m := euAlone.FindStringIndex(text[at:]); m != nil {
		end = at + m[1]
		return reference(Law, text, at, end, text[at:end], ""), end
	}
	return r, at
}

var (
	alone = pattern(`^(?:Sozialgesetzbuch(?:s|es)?_\p{Lu}\p{Ll}+tes_Buch\b|\p{Lu}[\pL-]*(?:gesetzbuch` +
		`(?:es|s)?|gesetz(?:es)?)(?:_(?:19|20)\d\d\b)?)`)
	longName = pattern(`^Gesetz(?:es)?_(?:zur|zum|über|für|betreffend|vom)\b`)
	// shortAlone is a law by its abbreviation.
	shortAlone = pattern(`^(?:SGB_[IVX]+\b|\p{Lu}[\pL-]*G\b|(?:FGO|SGG|ZPO|VwGO|InsO|StPO|StGB|BGB|HGB|GG|` +
		`AO|ZVG|TVG|BauGB|DSGVO)\b)` + place + `(?:_(?:19|20)\d\d\b)?`)
	// adjectives are before the name of a law: Zweites, Bürgerlichen.
	adjectives = pattern(`(?:^|[\s(])((?:` + adjective + `_|\p{Lu}\p{Ll}+te[ns]?_Buch_|\p{Lu}\p{Ll}+-_und_){1,2})$`)
	pointing   = pattern(`^(?:D[aei]\p{Ll}s?|Ein\p{Ll}*|[JDd]iese\p{Ll}?|[Jj]ede\p{Ll}?|Nach|Bei|Aus|Als|` +
		`Neben|Gegen)_`)
	// court is a court by its abbreviation.
	court = pattern(`^(?:B(?:Verf|Verw|Pat)?G|[LO]?LG|O?VG|L?SG|L?AG|FG|KG|EuG|Bay\pL*G|\pL*VerfG|AG|DRG|\pL*MAG)$`)
	// editions follow a commentary on a law.
	editions = pattern(`^(?:-?[Kk]omm\pL*|,?_(?:\d+\.~Aufl|Kommentar|Stand\b|Bd\.|Art\.?\s|§)|` +
		`,_(?:(?:\p{Lu}\p{Ll}+_)?(?:19|20)\d\d,|K?_?§)|_?/_\p{Lu})`)
)

// germanName reads a law that is named without a provision.
func germanName(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	if m := longName.FindStringIndex(text[at:]); m != nil {
		// Only with a date does the subject end somewhere.
		name := at + len("Gesetz")
		if strings.HasPrefix(text[name:], "es") {
			name += len("es")
		}
		end = fullName(text, name)
		subject := end
		if m := short.FindStringIndex(text[end:]); m != nil {
			end += m[1]
		}
		if m := enacted.FindStringIndex(text[end:]); m != nil {
			end += m[1]
		} else if m := dated.FindStringIndex(text[end:]); m != nil {
			end += m[1]
		} else {
			end = subject
		}
		if end == name {
			return r, at
		}
		from := withAdjectives(text, floor, at)
		return reference(Law, text, from, end, text[from:subject], ""), end
	}
	m := alone.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	end = at + m[1]
	if editions.MatchString(text[end:]) || plainLaw.MatchString(text[at:end]) {
		return r, at
	}
	from, name := withAdjectives(text, floor, at), end
	if m := enacted.FindStringIndex(text[end:]); m != nil {
		end += m[1]
	} else if m := short.FindStringIndex(text[end:]); m != nil && enacted.MatchString(text[end+m[1]:]) {
		end += m[1]
		end += enacted.FindStringIndex(text[end:])[1]
	}
	return reference(Law, text, from, end, text[from:name], ""), end
}

// plainLaw is a word for laws that names none.
var plainLaw = pattern(`^Gesetz(?:es|buch(?:es|s)?)?$`)

func withAdjectives(text string, floor, at int) int {
	start := max(floor, at-60)
	m := adjectives.FindStringSubmatchIndex(text[start:at])
	if m == nil {
		return at
	}
	from := start + m[2]
	if p := pointing.FindStringIndex(text[from:at]); p != nil {
		from += p[1]
	}
	return from
}

// germanShort reads a law that is named by its abbreviation without a provision.
func germanShort(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	m := shortAlone.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	word, _, _ := strings.Cut(text[at:end], " ")
	sure := lower.MatchString(word) || known.MatchString(word) ||
		len(word) > 3 && articleBefore.MatchString(text[max(floor, at-6):at])
	if !sure || court.MatchString(word) || inWordAt(text, end) ||
		editions.MatchString(text[end:]) || margin.MatchString(text[end:]) {
		return r, at
	}
	name := end
	if m := enacted.FindStringIndex(text[end:]); m != nil {
		end += m[1]
	}
	return reference(Law, text, at, end, text[at:name], ""), end
}

var (
	lower         = pattern(`\p{Ll}`)
	known         = pattern(`^(?:SGB|FGO|SGG|ZPO|BGB|HGB|GG|AO|ZVG|TVG|DSGVO)$`)
	articleBefore = pattern(`(?:das|dem|des|im)\s$`)
)
