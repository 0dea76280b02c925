package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"pressroom/internal/errs"
)

// Refused is a request that was not made, because of where it would go.
type Refused struct {
	Host   string     // as it was asked for
	Addr   netip.Addr // what it resolved to; zero if it was not resolved
	Reason string
}

// Error says what was refused and why.
func (e *Refused) Error() string {
	if e.Addr.IsValid() && e.Addr.String() != e.Host {
		return fmt.Sprintf("refused to connect to %s (%s): %s", e.Host, e.Addr, e.Reason)
	}
	return fmt.Sprintf("refused to connect to %s: %s", e.Host, e.Reason)
}

// Unwrap gives the error its kind: what was asked for is not allowed.
func (e *Refused) Unwrap() error { return errs.Forbidden }

// block is a range of addresses that lead nowhere, or inside.
type block struct {
	prefix netip.Prefix
	reason string
}

func blocks(rows ...[2]string) []block {
	list := make([]block, len(rows))
	for i, r := range rows {
		list[i] = block{netip.MustParsePrefix(r[0]), r[1]}
	}
	return list
}

// blocked is the special-purpose part of the address space, by the registries of
// IANA, and what clouds serve secrets on. The first row that fits is the reason.
var blocked = blocks(
	[2]string{"169.254.169.254/32", "a cloud's metadata service"},
	[2]string{"169.254.170.2/32", "a cloud's metadata service"},
	[2]string{"169.254.170.23/32", "a cloud's metadata service"},
	[2]string{"100.100.100.200/32", "a cloud's metadata service"},
	[2]string{"192.0.0.192/32", "a cloud's metadata service"},
	[2]string{"168.63.129.16/32", "a cloud's metadata service"},
	[2]string{"fd00:ec2::/32", "a cloud's metadata service"},
	[2]string{"fd20:ce::254/128", "a cloud's metadata service"},

	[2]string{"0.0.0.0/32", "the unspecified address"},
	[2]string{"0.0.0.0/8", "this network"},
	[2]string{"10.0.0.0/8", "a private network"},
	[2]string{"100.64.0.0/10", "a carrier's shared network (CGNAT)"},
	[2]string{"127.0.0.0/8", "a loopback address"},
	[2]string{"169.254.0.0/16", "a link-local address"},
	[2]string{"172.16.0.0/12", "a private network"},
	[2]string{"192.0.0.0/24", "reserved for protocols"},
	[2]string{"192.0.2.0/24", "reserved for documentation"},
	[2]string{"192.88.99.0/24", "a relay of IPv6 in IPv4"},
	[2]string{"192.168.0.0/16", "a private network"},
	[2]string{"198.18.0.0/15", "reserved for benchmarks"},
	[2]string{"198.51.100.0/24", "reserved for documentation"},
	[2]string{"203.0.113.0/24", "reserved for documentation"},
	[2]string{"224.0.0.0/4", "a multicast address"},
	[2]string{"255.255.255.255/32", "the broadcast address"},
	[2]string{"240.0.0.0/4", "reserved"},

	[2]string{"::/128", "the unspecified address"},
	[2]string{"::1/128", "a loopback address"},
	[2]string{"::ffff:0:0/96", "an IPv4 address mapped to IPv6"},
	[2]string{"::ffff:0:0:0/96", "an IPv4 address translated to IPv6"},
	[2]string{"::/96", "an IPv4 address written as IPv6"},
	[2]string{"64:ff9b::/96", "an IPv4 address translated to IPv6 (NAT64)"},
	[2]string{"64:ff9b:1::/48", "an IPv4 address translated to IPv6 (NAT64)"},
	[2]string{"100::/64", "a discard address"},
	[2]string{"2001::/32", "a tunnel of IPv6 in IPv4 (Teredo)"},
	[2]string{"2001::/23", "reserved for protocols"},
	[2]string{"2001:db8::/32", "reserved for documentation"},
	[2]string{"2002::/16", "a tunnel of IPv6 in IPv4 (6to4)"},
	[2]string{"3fff::/20", "reserved for documentation"},
	[2]string{"5f00::/16", "reserved for segment routing"},
	[2]string{"fc00::/7", "a private network"},
	[2]string{"fe80::/10", "a link-local address"},
	[2]string{"fec0::/10", "a private network"},
	[2]string{"ff00::/8", "a multicast address"},
)

// global is all of IPv6 that is given out at all.
var global = netip.MustParsePrefix("2000::/3")

// Check says why no connection may be made to the address; nil if one may.
func Check(a netip.Addr) error {
	if !a.IsValid() {
		return errors.New("no address")
	}
	if a.Zone() != "" {
		return errors.New("an address with a zone")
	}
	for _, b := range blocked {
		if b.prefix.Contains(a) {
			return errors.New(b.reason)
		}
	}
	if a.Is6() && !global.Contains(a) {
		return errors.New("not a global address")
	}
	return nil
}

func checkLiteral(host string, a netip.Addr) error {
	if err := Check(a); err != nil {
		return &Refused{Host: host, Addr: a, Reason: err.Error()}
	}
	return nil
}

// allowed is what the checks do not hold for.
type allowed struct {
	hosts    map[string]bool // "name" or "name:port"
	prefixes []netip.Prefix
}

func parseAllow(list []string) (allowed, error) {
	a := allowed{hosts: map[string]bool{}}
	for _, entry := range list {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if p, err := netip.ParsePrefix(entry); err == nil {
			a.prefixes = append(a.prefixes, p.Masked())
			continue
		}
		if ip, err := netip.ParseAddr(entry); err == nil {
			a.prefixes = append(a.prefixes, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		if entry == "" || strings.ContainsAny(entry, "/ *@") {
			return a, errs.New(errs.Usage, "%q is neither a host nor an address nor a prefix", entry)
		}
		a.hosts[entry] = true
	}
	return a, nil
}

func (a allowed) host(host, port string) bool {
	if strings.Contains(host, ":") {
		return a.hosts["["+host+"]:"+port]
	}
	return a.hosts[host] || a.hosts[host+":"+port]
}

func (a allowed) addr(ip netip.Addr) bool {
	for _, p := range a.prefixes {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// anyAddr reports whether names may turn out to be exempt once they are resolved.
func (a allowed) anyAddr() bool { return len(a.prefixes) > 0 }
