/** What contracts might call themselves: text that reorders, hides, breaks lists, breaks out of markup, or overflows. */
export const ODD_TEXTS: readonly string[] = [
  '', ' ', '\u0000', 'USDC\u0000', 'US\u202eCDS\u202c', '\u2066abc\u2069', '\u200b\u200b', '\ufeffUSDC', '\u00ad', 'A,B', '1 ETH, 5 WETH', 'a, b, c', '、，؍', '\n', 'a\r\nb', '\t\t',
  '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'; DROP TABLE reports; --", '{{7*7}}', '${jndi:ldap://x/y}', '%s%n%x', '\u001b[31mred\u001b[0m', '\\', '"', '\u2028\u2029',
  'x'.repeat(10_240), '𝒳'.repeat(5_000), 'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞', '\ud800', 'a\udc00b', '\ud83d', '👩‍👩‍👧‍👦', '\ue000', '\ufdd0', '\u{e0041}\u{e0042}', '\u3164', '\u115f',
  '__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '0', '-1', '1e9', 'ETH', 'eip155:1/slip44:60', '0x'.padEnd(42, 'a'), 'https://evil.example/claim', '$1.00', '—', '…', '[raw]', '#1',
];
