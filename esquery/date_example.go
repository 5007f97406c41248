package esquery

// example is the last of January 2024, noon, by the format; empty: it cannot be read.
func (f *dateFormat) example() string {
	switch {
	case f.epoch == "epoch_millis":
		return "1706702400000"
	case f.epoch == "epoch_second":
		return "1706702400"
	}
	return string(appendExample(nil, f.parts, true))
}

func appendExample(b []byte, parts []datePart, top bool) []byte {
	for i := range parts {
		p := &parts[i]
		switch p.letter {
		case '[':
			if len(p.optional) > 0 && (p.optional[0].literal == "-" || !top) {
				b = appendExample(b, p.optional, true)
			}
		case 0:
			b = append(b, p.literal...)
		case 'u', 'y':
			year := "2024"
			if p.max == 2 {
				year = "24"
			}
			b = append(b, year...)
		case 'M', 'L':
			b = append(b, "01"[2-p.min:]...)
		case 'd':
			b = append(b, "31"...)
		case 'H', 'h', 'k', 'K':
			b = append(b, "12"...)
		case 'm', 's':
			b = append(b, "00"[2-p.min:]...)
		case 'S':
			b = append(b, "000000000"[9-p.min:]...)
		case 'f', 'p', 'q':
			b = append(b, ".000"...)
		case 'o', 'X':
			b = append(b, 'Z')
		case 'x', 'Z':
			if p.letter == 'x' && p.min == 3 {
				b = append(b, "+00:00"...)
			} else {
				b = append(b, "+0000"...)
			}
		case 'a':
			b = append(b, "PM"...)
		case 'E':
			name := "January"
			if p.literal == "E" {
				name = "Wednesday"
			}
			if p.min < 4 {
				name = name[:3]
			}
			b = append(b, name...)
		}
	}
	return b
}
