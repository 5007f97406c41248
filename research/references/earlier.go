package references

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
