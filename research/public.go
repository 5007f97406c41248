package research

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// isPublic reports whether a URL can be one of the public web: a passage must not make
// the host's search ask machines of its own network.
func isPublic(text string) bool {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return addr.IsGlobalUnicast() && !slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(addr.WithZone("")) })
	}
	// A wide l and an ideographic full stop are read as l and a point.
	host, err = idna.New(idna.MapForLookup(), idna.StrictDomainName(false), idna.CheckHyphens(false)).ToASCII(host)
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	isNumber := last != "" && '0' <= last[0] && last[0] <= '9' // 127.1 and 0x7f.1 are addresses for many programs
	return err == nil && len(labels) > 1 && !isNumber && !slices.Contains(labels, "") && !slices.Contains(privateDomains, last)
}

// notPublic are the blocks of the IANA special-purpose address registries for IPv4 and
// IPv6 that are not globally reachable, of 2026-01, and those that lead to addresses of
// IPv4: NAT64, 6to4 and Teredo.
var notPublic = prefixes(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
	192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
	::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fec0::/10`)

func prefixes(list string) (all []netip.Prefix) {
	for text := range strings.FieldsSeq(list) {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// privateDomains are the last labels of the IANA special-use domain names, and those that
// networks use for themselves.
var privateDomains = strings.Fields(`alt arpa corp example home internal intranet invalid lan local localdomain localhost onion
	private svc test`)
