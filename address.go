package qed

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxAddress   = 1000 // bytes; see [store.Record]
	maxNamespace = 500  // less, so that addresses within a namespace begin with its address
	hashed       = 65   // what a hash adds
)

// shorten returns address, or, if it is too long for a store, its beginning and
// a hash.
func shorten(address string) string { return shortenTo(address, maxAddress) }

func shortenTo(address string, most int) string {
	if len(address) <= most {
		return address
	}
	cut := most - hashed
	for !utf8.RuneStart(address[cut]) {
		cut--
	}
	return fmt.Sprintf("%s~%x", address[:cut], sha256.Sum256([]byte(address)))
}

// escape returns a text as a name in an address: characters that have a meaning
// there, or cannot be printed, are written as %XX.
func escape(name string) string {
	if !strings.ContainsFunc(name, isSpecial) && name != "" {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		_, size := utf8.DecodeRuneInString(name[i:])
		if !isSpecial(r) {
			b.WriteString(name[i : i+size])
			continue
		}
		for _, c := range []byte(name[i : i+size]) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if name == "" {
		return "%"
	}
	return b.String()
}

// escapePath is escape for names that are separated by slashes.
func escapePath(path string) string {
	names := strings.Split(path, "/")
	for i := range names {
		names[i] = escape(names[i])
	}
	return strings.Join(names, "@") // not a slash: "a/b" must not be part of "a"
}

func isSpecial(r rune) bool {
	switch r {
	case '/', '#', '@', ':', '~', '%', utf8.RuneError:
		return true
	}
	return !unicode.IsPrint(r)
}
