package references

import (
	"regexp"
	"strings"
)

// The parts of a German citation. A space may be a line break or a narrow space, or
// missing after a point.
const (
	sp    = `[\s\x{00a0}\x{202f}]*`
	sps   = `[\s\x{00a0}\x{202f}]+`
	digit = `\d+(?:\.\d+)*(?:` + sp + `[a-eghj-lo-tv-z]\b|[a-z]{1,2}\b)?`
	// value is what a unit has: 3, 3a, IV, aa, a).
	value = `(?:\d+` + sp + `[a-z]\)|` + digit + `|[IVX]+\b|[a-z]{1,2}\b\)?|[A-Z]\b)`
	unit  = `(?:Abs(?:ätzen|ätze|atzes|atz)?|Sätzen|Sätze|Satzes|Satz|S|Nrn|Nr|Nummern|Nummer|Buchst(?:aben|abe)?|Doppelbuchst(?:aben|abe)?|lit|(?:Eingangs)?[Hh]albs(?:ätze|atzes|atz)?|Teils(?:ätze|atzes|atz)?|Fall|Anlage|Anhang|Anh|Erwägungsgr(?:ünde|und)|` +
		`HS|Hs|Alternativen|Alternative|Alt|Variante|Var|Unterabs(?:atz)?|UAbs|Ziffern|Ziffer|Ziff|Spiegelstrich|Sp)\b\.?`
	list  = `(?:` + sp + `(?:,|und|oder|u\.|bis|sowie|bzw\.|-|–|/)` + sp + value + `\b)*`
	more  = `(?:` + sp + `f{1,2}\b\.?)?`
	along = `(?:` + sps + `|` + sp + `,` + sp + `|` + sp + `(?:und|oder|bis|sowie|bzw\.|/)` + sp + `|` + sp + `)`
	units = `(?:` + along + unit + sp + value + list + more + `)*`
	chain = `(?:` + sp + `(?:,|;)?` + sp + `(?:i\.?` + sp + `V\.?` + sp + `(?:m\.|mit|m)|iVm\.?|in` + sps + `Verbindung` + sps + `mit|und|oder|sowie|bzw\.|bis|,|` +
		`jeweils|auch)` + sp + `)`
	sign    = `(?:§{1,2}|Artikeln|Artikels|Artikel|Artt\.|Art\b\.?)`
	numbers = digit + list + more + units
)

var (
	// begin is the first provision of a citation.
	begin = regexp.MustCompile(`(?:\bArt\.?` + sp + `[IVX]+` + sp + `§{1,2}|§{1,2}|\b(?:Artikeln|Artikels|Artikel|Artt\.|Art\b\.?))` + sp + numbers)
	// next is another one of the same law.
	next = regexp.MustCompile(`^` + chain + `(?:` + sign + sp + `)?` + numbers)
	// nextUnit is another paragraph of the same provision.
	nextUnit = regexp.MustCompile(`^` + chain + unit + sp + value + list + more + units)

	// abbreviated is a law by its abbreviation: it has two capitals.
	abbreviated = regexp.MustCompile(`^` + sps + `((?:SGB` + sps + `(?:[IVX]+|\d{1,2})\b|SGB-[IVX]+\b|TV(?:` + sps + `[\p{Lu}][\pL-]+)+|` + shortLaw + `)(?:` + sps + `(?:NRW|NW|SH|BW|RP|RhPf|LSA|MV|SL|SN|TH|BB|HE|NI|Bln|Bbg|Hmb|Nds)\b)?` +
		`(?:` + sps + `(?:19|20)\d\d\b)?` + old + `)`)
	// named is a law by its name, after an article.
	named = regexp.MustCompile(`^` + sps + `(?:(?:des|der|dem|zum|zur|die|das|dieses|dieser|eines|einer)` + sps + `)?((?:` + adjective + sps + `){0,3}` + lawName + `|\d+\.` + sps + shortLaw + `)`)
	// about goes on after a name: its subject, its abbreviation, its date.
	about = regexp.MustCompile(`^` + sps + `(?:über|zur|zum|für|betreffend)` + sps + `[^.;()<>]{3,160}?` + sps + `?([(<]` + sp + `[^()<>]{0,80}?` + shortLaw + sp + `[)>])`)
	short = regexp.MustCompile(`^` + sps + `[(<]` + sp + `(?:[^()<>]{0,80}? [-–] ?)?` + shortLaw + `(?:` + sps + `\p{Lu}\pL+)?` + sp + `[)>]`)
	dated = regexp.MustCompile(`^,?` + sps + `(?:in` + sps + `der` + sps + `Fassung` + sps + `(?:der` + sps + `Bekanntmachung` + sps + `)?)?vom` + sps +
		`\d{1,2}\.` + sp + `(?:\d{1,2}\.|\p{Lu}\pL+)` + sp + `\d{4}(?:` + sps + `[(<][^()<>]{0,80}[)>]|,` + sp + `(?:BGBl|RGBl|GVBl|BAnz)\.?` + sps + `[IVX]*` + sp + `(?:S\.?` + sp + `)?\d+)?|^` + sps + `\((?:idF|i\.` + sp + `d\.` + sp + `F\.|vom|in` + sps + `der)\b[^()]{0,160}\)`)
	year = regexp.MustCompile(`^` + sps + `(?:19|20)\d\d\b`)
)

const (
	shortLaw  = `\p{Lu}[\pL]*(?:-?\p{Lu}\pL*|-\d+)+(?:-(?:\p{Lu}[\pL]*|[IVX]+))*\b`
	adjective = `\p{Lu}\p{Ll}+(?:en|es|er|em|n|s)\b`
	lawName   = `(?:Sozialgesetzbuch` + sps + `\p{Lu}\p{Ll}+tes` + sps + `Buch\b|(?:\p{Lu}\p{Ll}+-` + sps + `und` + sps + `)?\p{Lu}[\pL-]*?(?:gesetzbuch(?:es|s)?|gesetz(?:es|en|e)?|verordnung|ordnung|verfassung|satzung|vertrag(?:es|s)?|vereinbarung|richtlinie|konvention|statut(?:s|en)?)\b|` +
		`(?:Gesetz(?:es|buch(?:es|s)?)?|Verordnung|Verfassung|Konvention|Vertrag(?:es|s)?|Vereinbarung|Satzung|Richtlinien?)\b)`
	old = `(?:` + sps + `(?:a\.` + sp + `F\.|n\.` + sp + `F\.|aF\b|nF\b|a\.F\.|n\.F\.))?`
)

// germanLaws finds provisions: § 5 Abs. 2 UWG, Art. 2 Abs. 1 in Verbindung mit Art.
// 20 Abs. 3 GG, §§ 54, 55 des Energiesteuergesetzes.
func germanLaws(text string) []Reference {
	var found []Reference
	for at := 0; ; {
		m := begin.FindStringIndex(text[at:])
		if m == nil {
			return found
		}
		from, end := at+m[0], at+m[1]
		end = trimmed(text, from, end)
		part, target := end, ""
		for {
			if to, name := law(text, end); to > 0 {
				end, target = to, name
				break
			}
			n := next.FindString(text[end:])
			if n == "" {
				n = nextUnit.FindString(text[end:])
			}
			if n == "" {
				break
			}
			// Without a law behind them, the numbers of a list are not provisions.
			end = trimmed(text, from, end+len(n))
			part = end
		}
		if !commentary(text, from, end, target) {
			found = append(found, reference(Law, text, from, end, target, text[from:min(part, end)]))
		}
		at = max(end, from+1)
	}
}

var (
	// margin follows a section of a commentary on a law, and edition is before it.
	margin = regexp.MustCompile(`^[\s,;:]*(?:Rn|Rdn|RdNr|Rdnr|Rdnrn|RdNrn|Rnrn|Rz|Randnr|Randnummer|Randnummern|Randziffer|Randziffern|Anm|Bem|Erl|Nr\.?\s*\d+\s*R)\b`)
	// collection is a collection of decisions, which is ordered by provisions.
	collection = regexp.MustCompile(`(?:SozR|Buchholz|AP|EzA|StRK|LM)\b[\s\d.–-]*(?:Nrn?\.?[\s\d,]*(?:und\s\d+\s)?)?(?:zu\s)?$`)
	edition    = regexp.MustCompile(`(?:Aufl(?:age)?\.?|Stand\s[^,;()]{1,30}|a\.?\s?a\.?\s?O\.?|[Kk]ommentar|[Kk]omm\.|EL|Lfg\.?|HStR|\d+/\d+|EzA|NZA|StGB|juris|\d{4})[\s,:]*$`)
)

// commentary reports whether a section is one of a commentary on a law.
func commentary(text string, from, end int, target string) bool {
	before := text[max(0, from-60):from]
	return margin.MatchString(text[end:]) || collection.MatchString(before) || target == "" && edition.MatchString(before)
}

// trimmed leaves out a last letter that begins the next word.
func trimmed(text string, from, end int) int {
	for end > from && strings.ContainsRune(" ,;(", rune(text[end-1])) {
		end--
	}
	return end
}

// law returns the end and the name of the law that text[at:] begins with, or 0.
func law(text string, at int) (end int, name string) {
	rest := text[at:]
	if m := euLaw.FindStringSubmatchIndex(rest); m != nil {
		return at + m[1], rest[m[2]:m[3]]
	}
	if m := abbreviated.FindStringSubmatchIndex(rest); m != nil && !notLaw.MatchString(rest[m[2]:m[3]]) {
		end, name = at+m[3], rest[m[2]:m[3]]
	} else if m := named.FindStringSubmatchIndex(rest); m != nil {
		end, name = at+m[3], rest[m[2]:m[3]]
		if m := about.FindStringIndex(text[end:]); m != nil {
			end += m[1]
			name = text[at:end]
		} else if m := short.FindStringIndex(text[end:]); m != nil && dated.MatchString(text[end+m[1]:]) {
			end += m[1]
		} else if m := year.FindStringIndex(text[end:]); m != nil {
			end += m[1]
		}
	} else {
		return 0, ""
	}
	if m := dated.FindStringIndex(text[end:]); m != nil {
		end += m[1]
	}
	return end, name
}

// notLaw are names that look like those of laws.
var notLaw = regexp.MustCompile(`^(?:BGH|BVerfG|BVerwG|BAG|BFH|BSG|EuGH|OLG|LSG|DM|EUR|Rd[Nn]rn?|TzBf)$`)

var euLaw = regexp.MustCompile(`^` + sps + `(?:(?:der|des|zu|zur)` + sps + `)?(` + euName + `)`)

const euName = `(?:Richtlinie|RL|Verordnung|VO|Rahmenbeschluss|Beschluss)` + sps + `(?:\((?:EG|EU|EWG|Euratom)(?:,` + sp + `Euratom)?\)` + sps + `)?(?:Nr\.?` + sps + `)?` +
	`\d+` + sp + `/` + sp + `\d+(?:` + sp + `/` + sp + `(?:EG|EU|EWG|JI|GASP|Euratom)\b)?`

var (
	euAlone = regexp.MustCompile(`\b` + euName)
	// alone is a law by its name, without a provision.
	alone = regexp.MustCompile(`\b((?:` + adjective + sps + `){0,2}(?:Sozialgesetzbuch` + sps + `\p{Lu}\p{Ll}+tes` + sps + `Buch\b|\p{Lu}[\pL-]*(?:gesetzbuch(?:es|s)?|gesetz(?:es)?)\b))`)
	// shortAlone is a law by its abbreviation.
	shortAlone = regexp.MustCompile(`\b(?:SGB` + sps + `[IVX]+\b|\p{Lu}[\pL-]*\p{Ll}\pL*G\b|(?:FGO|SGG|ZPO|VwGO|InsO|StPO|StGB|BGB|HGB|GG|AO|ZVG|TVG)\b)` + `(?:` + sps + `(?:19|20)\d\d\b)?`)
	// court is a court by its abbreviation.
	court = regexp.MustCompile(`^(?:B(?:Verf|Verw|Pat)?G|[LO]?LG|O?VG|L?SG|L?AG|FG|KG|EuG|Bay\pL*G|\pL*VerfG|.*Gruppe.*)$`)
	// editions follow a commentary on a law.
	editions = regexp.MustCompile(`^(?:-?[Kk]omm\pL*|,?` + sps + `(?:\d+\.` + sp + `Aufl|Kommentar|Stand\b|Bd\.|Art\.?\s|§)|/)`)
)

// euLaws finds directives and regulations that are named without an article.
func euLaws(text string) []Reference {
	var found []Reference
	for _, m := range euAlone.FindAllStringIndex(text, -1) {
		if !court.MatchString(text[m[0]:m[1]]) && !editions.MatchString(text[m[1]:]) {
			found = append(found, reference(Law, text, m[0], m[1], text[m[0]:m[1]], ""))
		}
	}
	return found
}

// namedLaws finds laws that are named without a provision.
func namedLaws(text string) (found []Reference) {
	for _, m := range alone.FindAllStringIndex(text, -1) {
		from := m[0]
		end := m[1]
		found = append(found, reference(Law, text, from, end, text[from:end], ""))
	}
	for _, m := range shortAlone.FindAllStringIndex(text, -1) {
		if !court.MatchString(text[m[0]:m[1]]) && !editions.MatchString(text[m[1]:]) {
			found = append(found, reference(Law, text, m[0], m[1], text[m[0]:m[1]], ""))
		}
	}
	return found
}
