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
	abbreviated = pattern(`^_(?:(des|der|dem|zum|zur)_)?((?:SGB_(?:[IVX]+|\d{1,2})\b|SGB-[IVX]+\b|` + shortLaw + `)` + place +
		`(?:_(?:19|20)\d\d\b)?)`)
	// named is a law or a document by its name, after a provision.
	named = pattern(`^_(?:(?:in_)?` + article + `_)?((?:` + adjective + `_){0,3}` + lawName + `|` +
		`\d+\._` + shortLaw + `)`)
	year = pattern(`^_(?:19|20)\d\d\b`)
)

const (
	shortLaw  = `\p{Lu}[\pL]*(?:-?\p{Lu}\pL*|-\d+)+(?:-(?:\p{Lu}[\pL]*|[IVX]+))*(?:\.[A-Z]{3,})?`
	place     = `(?:_(?:NRW|NW|SH|BW|RP|RhPf|LSA|MV|SL|SN|TH|BB|HE|NI|Bln|Bbg|Hmb|Nds)\b)?`
	article   = `(?:des|der|dem|zum|zur|die|das|dieses|dieser|eines|einer)`
	adjective = `(?:\p{Lu}\p{Ll}+(?:en|es|er|em|n|s|[ts]te)|\p{Ll}+isch(?:en|es|er|em|e))`
	lawName   = `(?:Sozialgesetzbuch(?:s|es)?_\p{Lu}\p{Ll}+tes_Buch\b|(?:\p{Lu}\p{Ll}+-_und_)?\p{Lu}[\pL-]*` +
		`(?:gesetzbuch(?:es|s)?|gesetz(?:es|en|e)?|verordnung|ordnung|verfassung|satzung|vertrag(?:es|s)?|` +
		`vereinbarung|richtlinien?|konvention|statut(?:s|en)?|charta)\b|` +
		`(?:Gesetz(?:es|buch(?:es|s)?)?|Verordnung|Verfassung|Konvention|Vertrag(?:es|s)?|Vereinbarung|` +
		`Satzung|Richtlinien?|Übereinkommens?|Abkommens?)\b)`
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
	case margin.MatchString(text[end:]):
		return r, end // of a commentary on a law
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

	// margin follows a section of a commentary on a law.
	margin = pattern(`^[\s,;:]*(?:Rn|Rdn|Rdnr|Rnrn|Rz|Randnr|Randnummern?|Randziffern?|Anm|Bem|Erl)\b`)
)

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
		return lawful{at + m[5], rest[m[4]:m[5]], true}, true
	}
	m = named.FindStringSubmatchIndex(rest)
	if m == nil {
		return l, false
	}
	name := rest[m[2]:m[3]]
	l = lawful{at + m[3], name, !contract.MatchString(name)}
	if n := numberedAs.FindStringIndex(text[l.end:]); n != nil && !l.isLaw && !inWordAt(text, l.end+n[1]) {
		l.end += n[1]
	}
	l.name = text[at+m[2] : l.end]
	if m := year.FindStringIndex(text[l.end:]); m != nil {
		l.end += m[1]
	}
	return l, true
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
	// shortAlone is a law by its abbreviation: the words of the rules, and those with a lower-case
	// letter that end in G.
	shortAlone = pattern(`^(?:SGB_[IVX]+\b|\p{Lu}\pL*\p{Ll}\pL*G\b|(?:FGO|SGG|ZPO|VwGO|InsO|StPO|StGB|BGB|HGB|GG|` +
		`AO|ZVG|TVG|BauGB|DSGVO)\b)` + place + `(?:_(?:19|20)\d\d\b)?`)
	// court is a court by its abbreviation. Behind comes a provision, or the word for a commentary.
	court  = pattern(`^(?:B(?:Verf|Verw|Pat)G|EuG|Bay\pL*G|\pL*VerfG)$`)
	behind = pattern(`^(?:-?[Kk]omm|_§)`)
)

// germanName reads a law that is named without a provision.
func germanName(s *scan, at int) (r Reference, end int) {
	return withoutPart(s, at, alone)
}

// germanShort reads a law that is named by its abbreviation without a provision.
func germanShort(s *scan, at int) (r Reference, end int) {
	return withoutPart(s, at, shortAlone)
}

// withoutPart reads a law in a form that has no provision.
func withoutPart(s *scan, at int, form *regexp.Regexp) (r Reference, end int) {
	m := form.FindStringIndex(s.text[at:])
	if m == nil || inWordAt(s.text, at+m[1]) {
		return r, at
	}
	end = at + m[1]
	name, rest := s.text[at:end], s.text[end:]
	if court.MatchString(name) || behind.MatchString(rest) || margin.MatchString(rest) {
		return r, at
	}
	return reference(Law, s.text, at, end, name, ""), end
}
