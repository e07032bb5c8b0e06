# Exact sums of integers in decimal strings: jq's own numbers are floats and lose digits beyond 2^53.
#   jq -L docs 'include "exact"; [.inventory_deltas[].delta_raw] | exact_sum' report.json
# Numbers are split into limbs of seven digits, lowest first; limb sums stay exact for up to 10^8 numbers.
def limbs: (if startswith("-") then -1 else 1 end) as $sign | ltrimstr("-")
  | [while(length > 0; .[:-7]) | .[-7:] | tonumber * $sign];
def carry: reduce .[] as $limb ({carry: 0, out: []};
    ($limb + .carry) as $total | ($total / 10000000 | floor) as $next
    | .out += [$total - $next * 10000000] | .carry = $next)
  | .out + [.carry];
def digits: (.[-1] | tostring) + ([.[:-1] | reverse | .[] | "0000000\(.)" | .[-7:]] | add // "") | sub("^0+(?=[0-9])"; "");
def exact_sum: if length == 0 then "0" else
    (map(limbs) | transpose | map(map(. // 0) | add) | carry)
    | if .[-1] < 0 then "-" + (map(-.) | carry | digits) else digits end
  end;
