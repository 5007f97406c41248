package references

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

// states are the first words of abbreviations of states, as in Ohio Rev. Code Ann.
const states = "Ala Alaska Ariz Ark Cal Colo Conn Del D Fla Ga Haw Hawaii Idaho Ill Ind Iowa Kan Ky La Me Md Mass Mich Minn Miss Mo Mont " +
	"Neb Nev N Ohio Okla Or Pa R S Tenn Tex Utah Vt Va Wash W Wis Wyo Guam Fed California Texas Florida"

const (
	// sections are the sections of a statute with their subsections: 21-3516(a)(2),
	// 5739.02(B)(7) and (d).
	sections = `\d(?:[\p{L}\d.:/–-]*[\p{L}\d])?` + subsections + `(?:(?:,|,?\s(?:and|or|to|through|&)|` +
		`\s?[-–])\s?(?:§{1,2}\s?)?(?:\d(?:[\p{L}\d.:/–-]*[\p{L}\d])?` + subsections + `|` +
		`(?:\(\w{1,5}\))+))*(?:\s?et seq\.?|,\ssubds?\.\s\d+)?`
	// subsections are those of one section.
	subsections = `(?:\s?\(\w{1,5}\))*`
	// edition is the year or the state of a statute.
	statuteEdition = `(?:\s\((?:[^()]{0,40}\b(?:1[6-9]|20)\d\d(?:[-–]\d{2,4})?|repealed|amended|superseded|` +
		`[^()]{0,20}\bSupp\.[^()]{0,20})\)){0,2}`

	mark     = `(?:§{1,2}|¶{1,2}|[Ss]ections?|[Ss]ecs?\.|[Aa]rts?\.|[Rr]ules?|ch\.|c\.|pt\.)`
	division = `(?:(?:[Tt]it\.|[Tt]itle|ch\.|[Cc]hapter|pt\.|art\.|c\.)\s[\w-]+,?\s)`
)

var (
	stateStatuteForm = regexp.MustCompile(`^((?:(?:&\s)?\p{Lu}[\p{L}&'’]*\.?,?\s?){1,5}?(?:Code|Stat\.|Stats\.|` +
		`Statutes|Laws?|Const\.|Rules?|Reg\.|Regs\.|R\.|C\.P\.L\.R\.|P\.)` +
		`(?:\s?(?:Ann\.|Annotated|Serv\.|Rev\.|Admin\.))?(?:,?\s\p{Lu}[\p{L}&'’]*\.?){0,4}?),?\s?((?:` + division +
		`)?` + mark + `\s?|` + division + `)?(` + sections + `|amend\.\s\w+)` + statuteEdition)

	// statuteForm is a statute or a regulation by its volume: 18 U.S.C. § 1001.
	statuteForm = regexp.MustCompile(`^\d{1,4}\s((?:U\.?\s?S\.?\s?C\.?(?:\s?[AS]\.)?|C\.?\s?F\.?\s?R\.?|` +
		`Fed\.\s?Reg\.|Stat\.|(?:Ill\.|Pa\.|Guam|V\.I\.)\s(?:Comp\.|Cons\.)?\s?(?:Stat\.|` +
		`Code)(?:\sAnn\.)?),?)\s?((?:§{1,2}|[Ss]ections?|[Ss]ec\.|[Pp]art|[Pp]t\.)\s?)?(` + sections + `)` +
		statuteEdition)

	// codeWord is the end of the name of a code before a section sign.
	codeWord = regexp.MustCompile(`\b(?:(?:Code|Stat|Stats|Laws?|Act|Statutes|C\.F\.R|U\.S\.C|USC|CFR|Const|` +
		`Regs?|Regulations?)\b\.?,?|(?:\p{Lu}\.\s?){2,}|[A-Z]{3,6})\s$`)
	initials = regexp.MustCompile(`(?:\.|[A-Z]{2})\s$`)
	signed   = regexp.MustCompile(`^§{1,2}\s?(` + sections + `)` + statuteEdition)

	publicLawForm = regexp.MustCompile(`^Pub(?:\.\s?L\.|lic Law)\s(?:No\.\s)?\d{1,3}[-–]\d{1,4}` +
		`(?:,\s(?:§{1,2}\s?` + sections + `|\d+ Stat\.\s\d+))?` + statuteEdition)
	constitutionForm = regexp.MustCompile(`^U\.\s?S\.\sConst\.\s(?:art\.|amend\.)\s[IVX]+(?:,\s(?:§|cl\.)\s?\d+)*`)
	taxCourtForm     = regexp.MustCompile(`^T\.\s?C\.\s(?:Memo\.|Summary Opinion)\s(?:19|20)\d\d[-–]\d+`)
)

// stateStatute reads a statute of a state: Ohio Rev. Code Ann. § 5739.02.
func stateStatute(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := stateStatuteForm.FindStringSubmatchIndex(text[at:])
	if m == nil || m[4] < 0 && !strings.ContainsAny(text[at+m[6]:at+m[7]], ".-:(") {
		return r, at
	}
	end = beforeNext(text, at+m[1])
	if inWordAt(text, end) {
		return r, at
	}
	return reference(Law, text, at, end, part(text, at, at+m[3]), part(text, at+max(m[3], m[4]), at+m[7])), end
}

var (
	volumeAtEnd = regexp.MustCompile(`(?:,|,?\s(?:and|or|&))\s\d{1,4}$`)
	reportNext  = regexp.MustCompile(`^\s(?:U\.?\s?S|C\.?\s?F|F\.|Fed\.|\p{Lu}\p{Ll}*\.)`)
)

// beforeNext leaves out a last number that is the volume of the next reference: 18
// U.S.C. § 4 and 42 U.S.C. § 5.
func beforeNext(text string, end int) int {
	start := max(0, end-12)
	if m := volumeAtEnd.FindStringIndex(text[start:end]); m != nil && reportNext.MatchString(text[end:]) {
		return start + m[0]
	}
	return end
}

func part(text string, from, to int) string { return strings.Trim(text[from:to], ", ") }

// statute reads a statute by its volume: 18 U.S.C. § 1001, 1 Stat. 2.
func statute(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := statuteForm.FindStringSubmatchIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	end = beforeNext(text, at+m[1])
	return reference(Law, text, at, end, part(text, at, at+m[3]), part(text, at+m[3], min(end, at+m[7]))), end
}

// englishSign reads a section whose code is before it: the Data Code § 5(a).
func englishSign(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	from := titleBefore(text, floor, at, inLaws, ".,&")
	before := text[from:at]
	if !codeWord.MatchString(before) {
		return r, at
	}
	n := signed.FindStringSubmatchIndex(text[at:])
	if n == nil || initials.MatchString(before) && !strings.ContainsAny(text[at:at+n[1]], "(-") {
		return r, at
	}
	end = at + n[1]
	return reference(Law, text, from, end, strings.TrimRight(text[from:at], ", "), text[at:at+n[3]]), end
}

func publicLaw(s *scan, at int) (r Reference, end int) {
	return byLawPattern(publicLawForm, s.text, at)
}
func constitution(s *scan, at int) (r Reference, end int) {
	return byLawPattern(constitutionForm, s.text, at)
}

func byLawPattern(re *regexp.Regexp, text string, at int) (r Reference, end int) {
	m := re.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	return reference(Law, text, at, end, text[at:end], ""), end
}

// taxCourt reads T.C. Memo. 2019-233.
func taxCourt(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := taxCourtForm.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	return reference(Case, text, at, end, text[at:end], ""), end
}

const (
	// page is that of a report: 12, lxiv, ___, No. 233, at 2, at p. 651.
	page = `(?:,?\s(?:at\s(?:pp?\.\s)?)?(?:No\.\s)?(?:\d{1,6}(?:,\d{3})?|_{2,}|[xvilc]{1,8})|,\s\d{1,5})`
	// abbreviation is a part of the name of a report: U.S., F.2d, L.Ed.2d, App.
	abbreviation = `(?:(?:\p{Lu}\p{Ll}*\.\s?)+(?:\d?[12]d|\d?3d|\d?[4-9]th)?|\p{Lu}\p{Ll}*\.?|2d|3d|[4-9]th)`
)

var (
	// reportForm is a volume, a report and a page.
	reportForm  = regexp.MustCompile(`^\d{1,4}\s(` + abbreviation + `(?:\s?` + abbreviation + `){0,5}?)` + page)
	journalForm = regexp.MustCompile(`\b(?:L\.\s?Rev|Rev|L\.\s?J|L\.Q|J|Law Review|Law Journal)\b\.?`)
	// reporter is the name of a report: one that has two initials or a series, or
	// begins with the name of a state.
	reporter = regexp.MustCompile(`^(?:(?:\p{Lu}\p{Ll}*\.\s?){2,}(?:\d\p{L}+)?|.*\d(?:d|th)|` +
		`(?:(?:Ala|Ariz|Ark|Cal|Colo|Conn|Del|Fla|Ga|Haw|Ill|Ind|Kan|Ky|La|Me|Md|Mass|Mich|Minn|Miss|Mo|` +
		`Mont|Neb|Nev|Okla|Or|Pa|Tenn|Tex|Vt|Va|Wash|Wis|Wyo|How|Wall|Dall|Wheat|Pet|Atl|So|Barb)\.|` +
		`Alaska|Idaho|Iowa|Ohio|Utah|Hawaii|Cranch|Black|Hill)(?:\s?\p{Lu}\p{Ll}*\.?)*)$`)
	// units are words with a point between two numbers that are no report.
	unitsBetween = regexp.MustCompile(`\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Abs|Nr|Art|Rn|` +
		`Rdnr|Ziff|Buchst|Bd|Aufl|Mio|Mrd|Tsd|Kap|No|Sec|Vol|Fig|Dr|Mr|Mrs|St|Std|Min|Sek|Str|EL|HS|Hs|` +
		`Halbs|Tz|Tab|Abb|Uhr|Anm)\b`)

	// neutralForm is a decision by its year, court and number: 2017 IL App (4th) 160407.
	neutralForm = regexp.MustCompile(`^(?:19|20)\d\d\s(?:(?:AR|CO|GU|IL|LA|ME|MS|MT|ND|NH|NM|OH|OK|PA|PR|SD|UT|` +
		`VT|WI|WY)(?:\s(?:App|Ct\.App\.|CR|CIV|S))?(?:\s\(\d\p{L}+\))?|UKSC|UKHL|EWCA (?:Civ|Crim)|EWHC|` +
		`WL)\s\d+(?:-(?:U|[A-Z]))?\b`)
)

// report reads a decision or an article by volume, report and page: 1 U.S. 12.
func report(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := reportForm.FindStringSubmatchIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	name := text[at+m[2] : at+m[3]]
	flat := strings.TrimSuffix(strings.Join(strings.Fields(name), " "), " No.")
	isJournal := journalForm.MatchString(flat)
	if unitsBetween.MatchString(flat) || !isJournal && !reporter.MatchString(flat) {
		return r, at
	}
	end = at + m[1]
	if isJournal {
		return reference(Journal, text, at, end, text[at:end], ""), end
	}
	return reference(Case, text, at, end, text[at:end], ""), end
}

// neutral reads a decision by its year, court and number.
func neutral(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := neutralForm.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	end = at + m[1]
	return reference(Case, text, at, end, text[at:end], ""), end
}

const (
	// item is the number of a part: 4.2, 3a, 12(b)(6), IV, B.
	item = `\d+(?:[.-]\d+)*[a-z]?(?:\(\w{1,5}\))*`
	// letter is that of an annex, and roman a number of what is written with a capital.
	letter = `(?:` + item + `|[A-Z](?:[.-]\d+)*\b)`
	roman  = `(?:` + item + `|[IVX]+\b)`
	// also is between several of them: 4.2 and 4.3, 5-7.
	also  = `(?:,|,?\s(?:and|or|to|through)|\s?[-–])\s?`
	items = item + `(?:` + also + item + `)*`
	// capitalized is a sequence of words with capitals.
	capitalized = `\p{Lu}[\p{L}\d'’&-]*(?:\s(?:(?:and|of|for|on|in|at|to|the|with)\s){0,2}\p{Lu}[\p{L}\d'’&-]*){0,8}`
	euEnglish   = `(?:Regulation|Directive|Decision)\s(?:\((?:EU|EC|EEC|Euratom)\)\s)?(?:No\s)?\d+/\d+` +
		`(?:/(?:EU|EC|EEC))?`
	actWord = `(?:Act|Code|Regulations?|Directive|Constitution|Charter|Treaty|Convention|Statutes?|` +
		`Ordinance|Order|Rules|Law)`
)

var (
	partForm = regexp.MustCompile(`^(?:(?:Appendix|Annex|Schedule|Part|Exhibit)\s` + letter + `(?:` + also + letter +
		`)*|(?:Sections?|Articles?|Chapters?|Parts?|Title)\s` + roman + `(?:` + also + roman + `)*|` +
		`(?:(?i:sections?|articles?|clauses?|chapters?|paragraphs?|appendix|annex|schedule|subsection|part)|` +
		`Secs?\.?|ss?\.?|[Pp]ara\.?|Rule|Art\.)\s` + items + `)`)
	// directly is a law behind a part: Article 6 GDPR.
	directly = regexp.MustCompile(`^,?\s([A-Z]{3,}|` + euEnglish + `|` + capitalized + `\s` + actWord + `(?:\s` +
		`(?:of\s)?(?:1[6-9]|20)\d\d\b)?)`)
	// of is the law or the document of a part.
	of = regexp.MustCompile(`^(,?\s(?:of|in|to|from|under)\s(?:the\s|this\s|our\s|its\s)?)(` + standards + `|` +
		`` + designator + `|` + euEnglish + `|` + capitalized + `|["“„][^"”“\n]{2,100}["”“]|` +
		`(?:[\p{Ll}][\p{L}-]*\s){0,3}` + englishNoun + `)((?:,?\s(?:of\s)?(?:1[6-9]|20)\d\d\b)?)`)

	actName  = regexp.MustCompile(`\b` + actWord + `$`)
	acronym  = regexp.MustCompile(`^[A-Z]{3,}$`)
	actAfter = regexp.MustCompile(`^((?:Act|Code|Regulations?|Constitution)(?:\s(?:of\s)?(?:1[6-9]|` +
		`20)\d\d\b)?)(?:,\s((?:s|ss|section|sections)\.?\s` + items + `)|,?\s(§{1,2}\s?` + sections + `)` +
		statuteEdition + `)?`)
	euAct = regexp.MustCompile(`^` + euEnglish)
)

// englishPart reads a part of a document or an act: Section 4.2 of the Safety Manual,
// Article 6(1) GDPR.
func englishPart(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := partForm.FindStringIndex(text[at:])
	if m == nil || inWordAt(text, at+m[1]) {
		return r, at
	}
	to := at + m[1]
	if d := directly.FindStringSubmatch(text[to:]); d != nil && !notLaw.MatchString(d[1]) {
		if end := to + len(d[0]); !inWordAt(text, end) {
			return reference(Law, text, at, end, d[1], text[at:to]), end
		}
	}
	kind, end, target := ofEnglish(text, to)
	return reference(kind, text, at, end, target, text[at:to]), end
}

// ofEnglish returns the end, the kind and the name of the law or document of a part that
// ends at a position: of the Safety Manual. Without one it returns the position.
func ofEnglish(text string, at int) (kind Kind, end int, target string) {
	o := of.FindStringSubmatchIndex(text[at:])
	if o == nil || inWordAt(text, at+o[1]) {
		return Section, at, ""
	}
	name := text[at+o[4] : at+o[5]]
	end = at + o[1]
	target = strings.Trim(text[at+o[4]:end], `"“”„`)
	switch {
	case actName.MatchString(name) && strings.Contains(target, " "), euAct.MatchString(name),
		acronym.MatchString(name) && !notLaw.MatchString(name):
		return Law, end, target
	case strings.Contains(target, " ") || strings.Trim(name, `"“”„`) != name || strings.ContainsAny(name, "0123456789"):
		return Section, end, target
	}
	return Section, at, ""
}

// starting are words that begin a sentence or lead to a name. The others are words
// within a name.
var (
	starting = wordset.Of(`
		the The This That These Under In A An Our Its By See Per And Or For Any Each Such Of To Since Because If
		When While With Der Die Das Dem Den Des`)
	inLaws      = wordset.Of("and of for on in at to the with &")
	inDocuments = wordset.Of("and of for &")
)

// titleBefore returns where the name begins that ends at a position: the words with a
// capital before it, at most eight, with small words between them. The signs may be
// in the words.
func titleBefore(text string, floor, at int, small map[string]bool, signs string) int {
	var names []int // where the words with a capital begin
	for pos := at; pos > floor && len(names) < 8; {
		end := pos - 1
		if text[end] != ' ' && text[end] != '\n' {
			break
		}
		start := end
		for start > floor && end-start < 40 {
			r, n := utf8.DecodeLastRuneInString(text[:start])
			if !inWord(r) && !strings.ContainsRune("'’-", r) && !strings.ContainsRune(signs, r) {
				break
			}
			start -= n
		}
		word := text[start:end]
		first, _ := utf8.DecodeRuneInString(word)
		switch {
		case unicode.IsUpper(first):
			names = append(names, start)
		case !small[word]:
			pos = floor
			continue
		}
		pos = start
	}
	for _, from := range slices.Backward(names) {
		word, _, _ := strings.Cut(text[from:at], " ")
		if !starting[word] {
			return from
		}
	}
	return at
}

// act reads a law by its name: the Data Protection Act 2018.
func act(s *scan, at int) (r Reference, end int) {
	text, floor := s.text, s.floor
	if m := euAct.FindStringIndex(text[at:]); m != nil {
		return reference(Law, text, at, at+m[1], text[at:at+m[1]], ""), at + m[1]
	}
	m := actAfter.FindStringSubmatchIndex(text[at:])
	if m == nil {
		return r, at
	}
	from := titleBefore(text, floor, at, inLaws, ",&")
	if from >= at {
		return r, at
	}
	end = at + m[1]
	inner := ""
	if i := max(m[4], m[6]); i >= 0 {
		inner = text[at+i : at+max(m[5], m[7])]
	}
	return reference(Law, text, from, end, text[from:at+m[3]], inner), end
}

// sectionOfAct reads s. 5 of the Consumer Rights Act 2015.
func sectionOfAct(s *scan, at int) (r Reference, end int) {
	if r, end = englishPart(s, at); r.Kind == Law {
		return r, end
	}
	return Reference{}, at
}

// germanOrEnglishArticle reads Art. 5 Abs. 2 GG and Art. 6(1)(f) GDPR.
func germanOrEnglishArticle(s *scan, at int) (r Reference, end int) {
	if englishArticle.MatchString(s.text[at:]) {
		return englishPart(s, at)
	}
	return germanLaw(s, at)
}

var englishArticle = regexp.MustCompile(`^Art\.\s\d+\(\w`)
