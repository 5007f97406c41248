package research

import "testing"

func TestIsPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"https://example.org/fees?x=1":     true,
		"http://example.org.":              true,
		"www.example.org/fees":             true,
		"https://8.8.8.8/":                 true,
		"https://[2001:4860:4860::8888]/":  true,
		"https://localhost.example.org":    true,
		"http://169.254.169.254/latest":    false,
		"http://127.0.0.1:9200":            false,
		"http://127.1/":                    false,
		"http://0x7f.0x1/":                 false,
		"http://2130706433/":               false,
		"http://10.1.2.3/":                 false,
		"http://[::1]/":                    false,
		"http://[::ffff:192.168.0.1]/":     false,
		"http://[fd00::1]/":                false,
		"http://0.0.0.0/":                  false,
		"http://localhost:8080":            false,
		"http://LOCALHOST./":               false,
		"http://wiki/":                     false,
		"http://db.internal/":              false,
		"https://user:secret@example.org/": false,
		"http://%zz/":                      false,
		"http://100.64.0.1/":               false,
		"http://[64:ff9b::a00:1]/":         false,
		"http://[2002:a00:1::1]/":          false,
		"http://192.0.0.8/":                false,
		"http://198.18.0.1/":               false,
		"http://api.prod.svc/":             false,
		"http://printer.localdomain/":      false,
		"http://nas.home.arpa/":            false,
		"http://localhost../":              false,
		"http://127.0.0.08/":               false,
		"http://127\u30020.0.1/":           false,
		"http://db.inter\uff4eal/":         false,
		"http://a.db\u3002local/":          false,
		"http://10.0.0.\uff11/":            false,
		"http://db.lo\u00adcal/":           false,
		"http://müller.example.org/":       true,
		"http://münchen.de/":               true,
		"http://my_shop.example.org/":      true,
		"ftp://example.org/":               false,
		"file:///etc/passwd":               false,
		"gopher://example.org/":            false,
		"javascript://example.org/%0aget":  false,
		"https://9gag.com/":                true,
		"":                                 false,
	} {
		if got := isPublic(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
