package references

import (
	"regexp"

	"github.com/qedkit/qed/internal/wordset"
)

// courts are German and European courts. Those with a town or a state in their name
// are among them.
var courts = wordset.Of(`
	Senat BGH BVerfG BVerwG BAG BFH BSG BPatG EuGH EuG EGMR RG BayObLG KG OLG LG AG VG OVG VGH LSG SG FG LAG
	ArbG GmS-OGB RFH RAG PrOVG BayVGH BayVerfGH StGH VerfGH`)

// reports are collections of German decisions and journals that print them.
var reports = wordset.Of(`
	BGHZ BGHSt BGHR BVerfGE BVerfGK BVerwGE BAGE BFHE BSGE BPatGE RGZ RGSt BayObLGZ Slg SozR Buchholz BStBl NJW
	NJW-RR SGb NVwZ NVwZ-RR NStZ NStZ-RR NZA NZA-RR NZS NZM NZG NZI NZV GRUR GRUR-RR GRUR-RS WRP WM ZIP FamRZ
	MDR DB BB DStR DStRE EFG HFR DVBl DÖV BauR VersR VRS StV wistra JZ JuS AP EzA AuR RdA ZfBR IBR ZInsO ZMR WuM
	EuZW EuGRZ K&R MMR CR AfP ZUM`)

const (
	germanDate = `(?:` + date + `|\d{4}-\d\d-\d\d)`
	// docket is the number of a case: XII ZB 214/14, B 14 AS 25/16 B, C-431/12, 29 W
	// (pat) 9/95.
	docket = `(?:C~[-–]~\d+/\d\d(?:_P)?|(?:(?:\d{1,3}[a-z]?|[IVX]{1,5}[a-z]{0,2}|B|\p{Lu}\p{L}{0,6}|` +
		`\(\p{L}{2,8}\)|/~\d?)_){1,4}\d{1,5}[/.]\d\d(?:\d\d)?(?:_(?:B|R|BH|ER|KL|S|PKH)\b)?(?:_u\.~a\.)?)`
	margins = `(?:,?_(?:Rn|Rdnr|RdNr|Rz|Rdn|Randnr|Tz)\b\.?_\d+[a-z]?(?:(?:,|_(?:und|bis))?_\d+)*(?:_ff?\b\.?)?)`
	pages   = `(?:~,~\d+(?:_ff?\b\.?)?|_[<(\[]~[\d ,.ffRn]{1,40}~[>)\]])`
	volumes = `(?:;_\d+` + pages + `+)*`
	printed = `(?:` + collections + `)`

	collections = `(?:BGHZ|BGHSt|BVerfGE|BVerfGK|BVerwGE|BAGE|BFHE|BSGE|BPatGE|RGZ|RGSt|BayObLGZ)_\d+` + pages +
		`+` + volumes + `|` +
		`(?:\p{Lu}[\p{L}&]{1,7}(?:-R[RS])?|BFH~/~NV|DStR|BStBl_I{1,2})_(?:19|20)\d\d` + pages + `+|` +
		`SozR_(?:\d~[-–]~)?\d{4}_§_\d+[a-z]?_Nr_\d+(?:_S_\d+(?:_ff?\b)?)?|` +
		`Buchholz_[\d.]+_[^,;()]{2,40}_Nr\._\d+|(?:zitiert_nach_)?[jJ]uris|www\.bverfg\.de`
	// source is where a decision is printed.
	source = `(?:(?:_(?:mwN|m\.~w\.~N\.))?(?:~[,=–-]~|_|_-,_)` + printed + `|_\(` + printed + `(?:,_` + printed + `)*\))`
	// decided is a decision with its date and number.
	decided = `(?:(?:Urteile?n?s?|Beschl(?:uss|üsse)(?:es|n)?|Urt\.|Beschl\.)_(?:de[rs]_[^;()]{3,50}?_)?)?` +
		`(?:v(?:om|\.)_)?` + germanDate +
		`(?:~[,–-]~|_)` + docket
	behind = `(?:_[-–](?:_\[[^\[\]]{2,50}\])?)?(?:_zu(?:_[\p{L}\d]{1,4}){1,6}_der_Gründe)?(?:` + source + `|` + margins + `)*`
)

var (
	decisionForm = pattern(`^` + decided + behind)
	// byTheCourt is a decision behind its court: BGH, Urteil vom ...
	byTheCourt = pattern(`^[\p{L}-]+(?:_\p{Lu}[\p{L}-]+){0,3}?(?:_[<(]\p{L}+[>)])?,?_(?:` + decided + behind +
		`|(?:in_)?` + printed + margins + `*)`)
	printedForm = pattern(`^(?:` + printed + `)(?:` + source + `|` + margins + `)*`)
	docketForm  = pattern(docket)
)

// decision reads a decision without a court: Beschluss vom 8. Juli 2015 - XII ZB
// 586/14.
func decision(s *scan, at int) (r Reference, end int) { return byPattern(decisionForm, s.text, at) }

// courtDecision reads a decision with its court.
func courtDecision(s *scan, at int) (r Reference, end int) {
	return byPattern(byTheCourt, s.text, at)
}

// germanReport reads a decision by where it is printed: BVerfGE 34, 269, NJW 2015,
// 1827. Behind the name of an author it is an article.
func germanReport(s *scan, at int) (r Reference, end int) {
	r, end = byPattern(printedForm, s.text, at)
	start := max(s.floor, at-60)
	m := authorBefore.FindStringSubmatchIndex(s.text[start:at])
	if r.Kind == "" || m == nil || collected.MatchString(r.Text) || notAuthor.MatchString(s.text[start+m[2]:at]) {
		return r, end
	}
	return reference(Journal, s.text, start+m[2], end, s.text[at:end], ""), end
}

var (
	// authorBefore are the authors of an article: Schur / Spellbrink, SGb 2014, 589.
	authorBefore = pattern(`(?:^|[\s(;])((?:\p{Lu}\._)?\p{Lu}\p{Ll}[\p{L}-]+(?:~/~\p{Lu}\p{Ll}[\p{L}-]+)*,?_)$`)
	collected    = pattern(`^(?:B\p{Lu}\pL*|RG\pL*|BayObLG\pL*)_\d{1,3},`)
	notAuthor    = pattern(`^(?:Urteile?|Beschl(?:uss|üsse)|Urt|Beschl|Senat|Kammer|Gericht\pL*|Siehe|Vgl|Auch|In|Nach|So|Anders|Anm|Entscheidung\pL*)\b`)
)

func byPattern(re *regexp.Regexp, text string, at int) (r Reference, end int) {
	m := re.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	if n := caseName.FindStringSubmatchIndex(text[end:]); n != nil {
		end += n[3]
	}
	return reference(Case, text, at, end, docketForm.FindString(text[at:end]), ""), end
}

// caseName is the name of a case, or of the trademark that it is about: – Goldhase I
var caseName = pattern(`^ [-–] ([\p{Lu}\d][^;(),.\n]{1,50})[;)]`)

// printedPaper reads a paper of the parliament: BT-Drucks 16/1889 S 21.
func printedPaper(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := paperForm.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	return reference(Document, text, at, end, text[at:end], ""), end
}

var paperForm = pattern(`^B[TR]-?Dr(?:uck)?s\.?_\d+/\d+(?:,?_S\.?_\d+(?:_ff?\b\.?)?)?`)

// earlierForm is a reference to what the text cited before.
var earlierForm = pattern(`^(?:Id\.,?|id\.(?:,? at\b| ¶| §| \d)|[Ii]bid\.?|[Ss]upra\b[.,]?|[Ee]benda\b|` +
	`[Ee]bd\.|a\.~a\.~O\.|aaO\b)`)

var lowerID = pattern(`^id\.,?`)

// earlier reads a reference to what the text cited before: Id., supra, a. a. O.
func earlier(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := earlierForm.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	if n := lowerID.FindStringIndex(text[at:end]); n != nil {
		end = at + n[1] // what follows only shows that it is not a word
	}
	return reference(Earlier, text, at, end, "", ""), end
}
