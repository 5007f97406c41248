package references

import "regexp"

// courts are German and European courts. Those with a town or a state in their name
// are among them.
var courts = set("BGH BVerfG BVerwG BAG BFH BSG BPatG EuGH EuG EGMR RG BayObLG KG OLG LG AG VG OVG VGH LSG SG FG LAG ArbG GmS-OGB " +
	"RFH RAG PrOVG BayVGH BayVerfGH StGH VerfGH")

// reports are collections of German decisions and journals that print them.
var reports = set("BGHZ BGHSt BGHR BVerfGE BVerfGK BVerwGE BAGE BFHE BSGE BPatGE RGZ RGSt BayObLGZ Slg SozR Buchholz BStBl " +
	"NJW NJW-RR NVwZ NVwZ-RR NStZ NStZ-RR NZA NZA-RR NZS NZM NZG NZI NZV GRUR GRUR-RR GRUR-RS WRP WM ZIP FamRZ MDR DB BB DStR DStRE " +
	"EFG HFR DVBl DÖV BauR VersR VRS StV wistra JZ JuS AP EzA AuR RdA ZfBR IBR ZInsO ZMR WuM EuZW EuGRZ K&R MMR CR AfP ZUM")

const (
	germanDate = `(?:` + date + `|\d{4}-\d\d-\d\d)`
	// docket is the number of a case: XII ZB 214/14, B 14 AS 25/16 B, C-431/12, 29 W
	// (pat) 9/95.
	docket  = `(?:C` + sp + `[-–]` + sp + `\d+/\d\d(?:` + sps + `P)?|(?:(?:\d{1,3}[a-z]?|[IVX]{1,5}[a-z]{0,2}|B|\p{Lu}\p{L}{0,6}|\(\p{L}{2,8}\)|/` + sp + `\d?)` + sps + `){1,4}\d{1,5}[/.]\d\d(?:\d\d)?(?:` + sps + `(?:B|R|BH|ER|KL|S|PKH)\b)?(?:` + sps + `u\.` + sp + `a\.)?)`
	margins = `(?:,?` + sps + `(?:Rn|Rdnr|RdNr|Rz|Rdn|Randnr|Tz)\b\.?` + sps + `\d+[a-z]?(?:(?:,|` + sps + `(?:und|bis))?` + sps + `\d+)*(?:` + sps + `ff?\b\.?)?)`
	pages   = `(?:` + sp + `,` + sp + `\d+(?:` + sps + `ff?\b\.?)?|` + sps + `[<(\[]` + sp + `[\d ,.ffRn]{1,40}` + sp + `[>)\]])`
	volumes = `(?:;` + sps + `\d+` + pages + `+)*`
	printed = `(?:` + collections + `)`

	collections = `(?:BGHZ|BGHSt|BVerfGE|BVerfGK|BVerwGE|BAGE|BFHE|BSGE|BPatGE|RGZ|RGSt|BayObLGZ)` + sps + `\d+` + pages + `+` + volumes + `|` +
		`(?:\p{Lu}[\p{L}&]{1,7}(?:-R[RS])?|BFH` + sp + `/` + sp + `NV|DStR|BStBl` + sps + `I{1,2})` + sps + `(?:19|20)\d\d` + pages + `+|` +
		`SozR` + sps + `(?:\d` + sp + `[-–]` + sp + `)?\d{4}` + sps + `§` + sps + `\d+[a-z]?` + sps + `Nr` + sps + `\d+|` +
		`Buchholz` + sps + `[\d.]+` + sps + `[^,;()]{2,40}` + sps + `Nr\.` + sps + `\d+|juris|Juris`
	// source is where a decision is printed.
	source = `(?:(?:` + sp + `[,=–-]` + sp + `|` + sps + `)` + printed + `)`
	// decided is a decision with its date and number.
	decided = `(?:(?:Urteile?n?s?|Beschl(?:uss|üsse)(?:es|n)?|Urt\.|Beschl\.)` + sps + `(?:de[rs]` + sps + `[^;()]{3,50}?` + sps + `)?)?(?:v(?:om|\.)` + sps + `)?` + germanDate +
		`(?:` + sp + `[,–-]` + sp + `|` + sps + `)` + docket
	behind = `(?:` + sps + `[-–](?:` + sps + `\[[^\[\]]{2,50}\])?)?(?:` + source + `|` + margins + `)*`
)

var (
	decision0 = regexp.MustCompile(`^` + decided + behind)
	// byTheCourt is a decision behind its court: BGH, Urteil vom ...
	byTheCourt = regexp.MustCompile(`^[\p{L}-]+(?:` + sps + `\p{Lu}[\p{L}-]+){0,3}?(?:` + sps + `[<(]\p{L}+[>)])?,?` + sps + `(?:` + decided + behind + `|(?:in` + sps + `)?` + printed + margins + `*)`)
	printed0   = regexp.MustCompile(`^(?:` + printed + `)(?:` + source + `|` + margins + `)*`)
	docket0    = regexp.MustCompile(docket)
)

// decision reads a decision without a court: Beschluss vom 8. Juli 2015 - XII ZB
// 586/14.
func decision(s *scan, at int) (r Reference, end int) { return byPattern(decision0, s.text, at) }

// courtDecision reads a decision with its court.
func courtDecision(s *scan, at int) (r Reference, end int) {
	return byPattern(byTheCourt, s.text, at)
}

// germanReport reads a decision by where it is printed: BVerfGE 34, 269, NJW 2015,
// 1827.
func germanReport(s *scan, at int) (r Reference, end int) {
	return byPattern(printed0, s.text, at)
}

func byPattern(re *regexp.Regexp, text string, at int) (r Reference, end int) {
	m := re.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	if n := caseName.FindStringSubmatchIndex(text[end:]); n != nil {
		end += n[3]
	}
	return reference(Case, text, at, end, docket0.FindString(text[at:end]), ""), end
}

// caseName is the name of a case, or of the trademark that it is about: – Goldhase I
var caseName = regexp.MustCompile(`^ [-–] ([\p{Lu}\d][^;(),.\n]{1,50})[;)]`)

// printedPaper reads a paper of the parliament: BT-Drucks 16/1889 S 21.
func printedPaper(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := paper0.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	return reference(Document, text, at, end, text[at:end], ""), end
}

var paper0 = regexp.MustCompile(`^B[TR]-?Dr(?:uck)?s\.?` + sps + `\d+/\d+(?:,?` + sps + `S\.?` + sps + `\d+(?:` + sps + `ff?\b\.?)?)?`)

// earlier0 is a reference to what the text cited before.
var earlier0 = regexp.MustCompile(`^(?:Id\.,?|id\.(?:,? at\b| ¶| §| \d)|[Ii]bid\.?|[Ss]upra\b[.,]?|[Ee]benda\b|[Ee]bd\.|a\.` + sp + `a\.` + sp + `O\.|aaO\b)`)

var lowerID = regexp.MustCompile(`^id\.,?`)

// earlier reads a reference to what the text cited before: Id., supra, a. a. O.
func earlier(s *scan, at int) (r Reference, end int) {
	text := s.text
	m := earlier0.FindStringIndex(text[at:])
	if m == nil {
		return r, at
	}
	end = at + m[1]
	if n := lowerID.FindStringIndex(text[at:end]); n != nil {
		end = at + n[1] // what follows only shows that it is not a word
	}
	return reference(Earlier, text, at, end, "", ""), end
}
