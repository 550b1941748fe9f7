//! What must be proved, and what must not be.

use crate::common::sequent;
use atl_arith::Arith;
use atl_kernel::{Cert, Prover, cert};

/// Steps and branches.
fn size(cert: &Cert) -> usize {
    match cert {
        Cert::Absurd(_) => 1,
        Cert::Step(_, rest) => 1 + size(rest),
        Cert::Split(_, l, r) | Cert::Case(_, l, r) => 1 + size(l) + size(r),
    }
}

/// Prove it, within this much work, by a certificate that is small and that the kernel accepts.
fn check(text: &str, work: u64) {
    let s = sequent(text);
    let mut arith = Arith::new();
    let Some(cert) = arith.prove(&s.ctx, &s.goal) else {
        panic!("not proved with {} work: {text}", arith.spent())
    };
    assert_eq!(cert::check(&s.ctx, &s.goal, &cert), Ok(()), "{text}");
    assert!(arith.spent() <= work, "{} work, {work} allowed: {text}", arith.spent());
    assert!(size(&cert) <= LARGEST, "{} steps: {text}", size(&cert));
}

/// No certificate here has more steps.
const LARGEST: usize = 60;

fn check_all(work: u64, sequents: &[&str]) {
    let failed: Vec<_> =
        sequents.iter().filter_map(|text| std::panic::catch_unwind(|| check(text, work)).err()).collect();
    assert!(failed.is_empty(), "{} of {} failed", failed.len(), sequents.len());
}

#[test]
fn linear() {
    check_all(
        500,
        &[
            "0<=i<n |- 0<=i<n",
            "0<=i<n |- i<=n-1",
            "0<=i<n |- i<n+1",
            "0<=i<n, n<=m |- i<m",
            "0<=io<(n+k-1)/k, 0<=ii<k, io*k+ii<n |- 0<=io*k+ii<n",
            "0<=io<8, 0<=ii<64 |- 0<=io*64+ii<512",
            "0<=i<n, 1<=n |- 0<=i+1<n+1",
            "0<=y<n, 0<=dy<3, 0<=y-1+dy && y-1+dy<n |- 0<=y-1+dy<n",
            "0<=y<n, ![0<=y-1] |- y==0",
            "n<0, 0<=n |- false",
            "0<=i<n, n==m |- i<m",
            "n==2*m, n==2*k |- m==k",
            "2*a==2*b+1 |- false",
            "0<=i<4, 0<=j<3 |- i*3+j<12",
            "0<=x, 0<=y, x+y==0 |- x==0 && y==0",
            "i<n || i<m |- i<max(n,m)",
            "a<=b |- min(a,b)==a",
        ],
    );
}

#[test]
fn division_by_constants() {
    check_all(
        2_000,
        &[
            "0<=l<n |- l/64 < ceil_div(n,64)",
            "|- 0<=l%64<64",
            "|- l-(l/64)*64<64",
            "|- 0<=l-(l/64)*64",
            "0<=l<128 |- 0<=l/64<2",
            "0<=ii<64 |- (io*64+ii)/64==io",
            "0<=ii<64 |- (io*64+ii)%64==ii",
            "|- (l/64)*64+l%64==l",
            "|- 0<=ceil_div(n,4)*4-n<4",
            "|- ceil_div(n*64,64)==n",
            "|- (i/4)/8==i/32",
            "0<=io<ceil_div(n,64), 0<=ii<min(64,n-64*io) |- 0<=64*io+ii<n",
            "0<=io<ceil_div(n,64), 0<=ii<64, 64*io+ii<n |- 64*io+ii<n",
            "0<=io<n/64, 0<=ii<64 |- io*64+ii<n",
            "0<=io<ceil_div(n,64) |- min(64,n-64*io)>=1",
            "n%64==0, 0<=io<n/64, 0<=ii<64 |- 0<=64*io+ii<n",
            "n%64==0 |- ceil_div(n,64)*64==n",
            "n%64==0 |- ceil_div(n,64)==n/64",
            "|- (2*a+1)%2==1",
            "|- i%2==0 || i%2==1",
            "0<=i<256 |- (i/16)*16+i%16<256",
            "|- (i%32)%8==i%8",
            "|- (i/8)%4==(i%32)/8",
            "0<=a<=b |- a/4<=b/4",
            "n>0 |- ceil_div(n,64)>0",
            "m==64*k, 0<=i<k, 0<=j<64 |- i*64+j<m",
        ],
    );
}

#[test]
fn the_catalog_with_symbolic_tiles() {
    check_all(
        25_000,
        &[
            "0<=i<n, 0<=j<m |- i*m+j<n*m",
            "0<=i<n/k, 0<=j<k, k>0 |- i*k+j<n",
            "0<=i<n, k>0 |- i/k<ceil_div(n,k)",
            "0<=n, 0<k |- ceil_div(n,k)==n/k+ceil_div(n%k,k)",
            "0<k |- ceil_div(n,k)-n/k<=1",
            "0<k |- n%k==0 <=> ceil_div(n,k)==n/k",
            "k>0 |- n<=ceil_div(n,k)*k",
            "k>0 |- 0<=ceil_div(n,k)*k-n<k",
            "m>0 |- ceil_div(n*m,m)==n",
            "k>0 |- (i/k)*k+i%k==i",
            "0<=i<a*c, 0<=j<a, 0<=k<c |- i==j*c+k <=> [j==i/c && k==i%c]",
            "0<=r<m, 0<=r'<m |- i*m+r==i'*m+r' <=> [i==i' && r==r']",
            "0<=i<l, k>0, 0<=t<ceil_div(l,k) |- [0<=i-t*k && i-t*k<k] <=> t==i/k",
            "a>0, b>0 |- (i/a)/b==i/(a*b)",
            "k>0 |- 0<=i%k<k",
            "n>0, k>0 |- ceil_div(n,k)>0",
            "n>0, k>0 |- n/k+ceil_div(n%k,k)>0",
            "0<=j<m |- (i*m+j)/m==i",
            "0<=j<m |- (i*m+j)%m==j",
            "0<=i<N, 0<=j<M, 0<=k<K |- ((i*M+j)*K+k)<N*M*K",
            "0<=i<N, 0<=j<M, 0<=k<K |- 0<=((i*M+j)*K+k)",
            "0<=io<(n+k-1)/k, 0<=ii<k, io*k+ii<n |- 0<=io*k+ii",
            "0<k, 0<=io<ceil_div(n,k), 0<=ii<min(k,n-k*io) |- 0<=k*io+ii<n",
            "0<=n, 0<=m |- 0<=n*m",
            "0<=l<n*m, 0<m |- l/m<n",
            "0<=l<n*m, 0<m |- 0<=l/m",
            "0<=l<n*m*k, 0<m, 0<k |- l/(m*k)<n",
            "0<=l<n*m*k, 0<m, 0<k |- (l/k)%m<m && 0<=(l/k)%m",
            "0<=i<N, 0<=j<M, 0<=k<K |- (((i*M+j)*K+k)/K)/M==i",
            "0<=i<N, 0<=j<M, 0<=k<K |- (((i*M+j)*K+k)/K)%M==j",
        ],
    );
}

#[test]
fn hypotheses_of_every_shape() {
    check_all(
        1_500,
        &[
            "i<3 || i<5 |- i<5",
            "[i<0 || i>=n], 0<=i |- i>=n",
            "i==0 || i==1, j==2*i |- j==0 || j==2",
            "![0<=i && i<n], 0<=i |- n<=i",
            "![i==j], i<=j |- i<j",
            "0<=i<n |- [0<=i && i<n] <=> 0<=i",
            "p<q |- q<p || q>p",
            "max(a,b)<=c |- a<=c && b<=c",
            "a<=c, b<=c |- max(a,b)<=c",
            "|- min(a,b)+max(a,b)==a+b",
            "|- min(a,b)==min(b,a)",
            "k>0, n<=0, 0<=io<ceil_div(n,k) |- false",
        ],
    );
}

#[test]
fn goals_of_schedules() {
    check_all(
        10_000,
        &[
            "0<=y<H-2, 0<=dy<3 |- 0<=y+dy<H",
            "0<=io<ceil_div(n,64), 0<=im<4, 0<=ii<16, io*64+im*16+ii<n |- 0<=(io*64+im*16+ii)<n",
            "0<=im<4, 0<=ii<16 |- (io*64+im*16+ii)/64==io",
            "0<=im<4, 0<=ii<16 |- ((io*64+im*16+ii)/16)%4==im",
            "0<=im<4, 0<=ii<16 |- (io*64+im*16+ii)%16==ii",
            "0<=i<a, 0<=j<b, 0<=k<c |- ((i*b+j)*c+k)/(b*c)==i",
            "0<=i<a, 0<=j<b, 0<=k<c |- ((i*b+j)*c+k)%c==k",
            "0<=i<a, 0<=j<b, 0<=k<c |- (((i*b+j)*c+k)/c)%b==j",
            "0<=r<n%8 |- (n/8)*8+r<n",
            "0<=r<n%k, k>0 |- (n/k)*k+r<n",
            "0<=v<8, 0<=q<n/8 |- 0<=q*8+v<n",
            "0<=ii<64, 0<=ii'<64, io*64+ii==io'*64+ii' |- io==io' && ii==ii'",
            "0<=ii<k, 0<=ii'<k, io*k+ii==io'*k+ii' |- io==io'",
            "0<=j<m, 0<=j'<m, i*m+j==i'*m+j', ![i==i'] |- false",
            "|- ceil_div(ceil_div(n,4),16)==ceil_div(n,64)",
            "0<=n, 0<=o, o<(n+3)/4-(n+3)/16*4, 0<=i, i<4, (o+ceil_div(n,4)/4*4)*4+i<n |- 0<=(o+(n+3)/16*4)*4+i<n",
            "0<=n, 0<=o, o<(n+3)/4-(n+3)/32*8, 0<=i, i<4, (o+ceil_div(n,4)/8*8)*4+i<n |- 0<=(o+(n+3)/32*8)*4+i<n",
            "0<=n, 0<=o, o<(n+2)/3-(n+8)/15*5, 0<=i, i<3, (o+(ceil_div(n,3)+2)/5*5)*3+i<n |- (o+(n+8)/15*5)*3+i<n",
            "0<=n, 0<=o, o<(n+3)/4-(n+3)/32*8, 0<=i, i<4, (o+ceil_div(n,4)/4/2*8)*4+i<n |- 0<=(o+(n+3)/32*8)*4+i<n",
            "0<=i<n, 0<=j<=i |- (i*(i+1))/2+j<(n*(n+1))/2",
            "0<=i<min(n,m) |- i<n && i<m",
            "0<k, 0<=io<ceil_div(n,k) |- 0<min(k,n-k*io)<=k",
            "0<k, 0<=io<n/k |- min(k,n-k*io)==k",
            "|- (i*8+j)/4==i*2+j/4",
            "0<=i<16, 0<=j<8 |- (i*8+j)/64==i/8",
            "0<=io<m, 0<=ii<64 |- (io*64+ii)/(m*64)==0",
            "0<=b<m, 0<=c<64 |- (a*(m*64)+b*64+c)/(m*64)==a",
            "0<=b<m, 0<=c<64 |- (a*(m*64)+b*64+c)%64==c",
            "0<=b<m, 0<=c<64 |- ((a*(m*64)+b*64+c)/64)%m==b",
            "0<k, 0<m, 0<=l<n |- l/k<ceil_div(n,k) && l%k<k && 0<=l%k && 0<=l/k",
            "0<=l<n*m, 0<m, 0<=n |- (l/m)*m+l%m<n*m",
            "H==2*h, 0<=y<h, 0<=dy<2, 0<=x<W |- (2*y+dy)*W+x<H*W",
            "0<=p<P, 0<=q<Q, 0<=r<R, 0<=s<S, P+R-1<=H, Q+S-1<=W |- (p+r)*W+(q+s)<H*W",
            "0<=n, 0<=i<n*4 |- i/4<n && i%4<4 && (i/4)*4+i%4==i",
            "0<k, 0<=io<ceil_div(n,k), 0<=ii<k |- !io*k+ii<n || io*k+ii<=n-1",
            "0<=x<W, 0<=i<5, [x-2+i>=0 && x-2+i<W] || x==i |- 0<=x+i",
            "0<=k<K, 0<=ko<ceil_div(K,kt), 0<kt, ko==k/kt |- 0<=k-ko*kt<kt",
            "a>=0, b>=0, c>=0, d>=0 |- a*b*c+d*a>=0",
            "0<=i<n |- i*i<=(n-1)*(n-1)",
        ],
    );
}

#[test]
fn laws_of_division_by_symbols() {
    check_all(
        5_000,
        &[
            "a>0, b>0 |- ceil_div(ceil_div(n,a),b)==ceil_div(n,a*b)",
            "k>0, n%k==0 |- ceil_div(n,k)*k==n",
            "k>0, n%k==0, 0<=io<n/k, 0<=ii<k |- 0<=io*k+ii<n",
            "k>0 |- (n/k)*k<=n",
            "a<=b, k>0 |- a/k<=b/k",
            "a<=b, k>0 |- ceil_div(a,k)<=ceil_div(b,k)",
            "a<=b, k>=0 |- a*k<=b*k",
            "0<=i, k>0 |- i%k<=i",
            "0<=i<k |- i%k==i",
            "0<=i<k |- i/k==0",
            "k>0 |- (i+k)/k==i/k+1",
            "k>0 |- (i+k)%k==i%k",
            "k>0 |- (i+b*k)%k==i%k",
            "k>0 |- (i%k)%k==i%k",
            "k>0, m>0 |- (i%(k*m))%k==i%k",
            "k>0 |- [i/k<q] <=> [i<q*k]",
            "k>0 |- [q<=i/k] <=> [q*k<=i]",
            "k>0 |- [q<ceil_div(i,k)] <=> [q*k<i]",
            "k>0 |- [i%k==0] <=> [(i/k)*k==i]",
            "k>0, 0<=n |- n/k<=n",
            "1<k, 0<n |- n/k<n",
            "k>0, j==i/k, r==i%k |- j*k+r==i",
            "k>0, 0<=n<=k |- ceil_div(n,k)<=1",
            "k>0, 0<=io<ceil_div(n,k) |- io*k<n",
            "k>0, 0<=io<ceil_div(n,k), ![io==ceil_div(n,k)-1], 0<=ii<k |- io*k+ii<n",
            "k>0, io<n/k |- io*k+k<=n",
        ],
    );
}

#[test]
fn irrelevant_hypotheses_cost_little() {
    let noise: String = (0..20)
        .map(|k| format!("0<=s{k}, 0<=x{k}<s{k}, 0<=y{k}<ceil_div(s{k},n), s{k}*x{k}<=z{k}, "))
        .collect();
    for (goal, work) in [
        ("0<=i<n |- 0<=i<n", 2_000),
        ("0<=l<n |- l/64<ceil_div(n,64)", 2_000),
        ("0<=io<(n+k-1)/k, 0<=ii<k, io*k+ii<n |- io*k+ii<n", 2_000),
        ("0<=i<n, 0<=j<m |- i*m+j<n*m", 4_000),
        ("0<=j<m |- (i*m+j)/m==i", 4_000),
        ("0<=i<n, k>0 |- i/k<ceil_div(n,k)", 4_000),
    ] {
        check(&format!("{noise}{goal}"), work);
    }
}

/// Wrong by one, mostly.
const WRONG: &[&str] = &[
    "0<=i<n |- i<n-1",
    "0<=i<n |- 1<=i",
    "0<=i<=n, 0<=j<m |- i*m+j<n*m",
    "0<=i<n, 0<=j<=m |- i*m+j<n*m",
    "0<=i<n/k, 0<=j<=k, k>0 |- i*k+j<n",
    "0<=i<=n, k>0 |- i/k<ceil_div(n,k)",
    "0<=i<n, k>0 |- i/k<n/k",
    "k>0 |- n<ceil_div(n,k)*k",
    "k>=0 |- 0<=ceil_div(n,k)*k-n<k",
    "m>=0 |- ceil_div(n*m,m)==n",
    "0<=j<=m |- (i*m+j)/m==i",
    "-1<=j<m |- (i*m+j)%m==j",
    "0<=r<m, 0<=r'<=m |- i*m+r==i'*m+r' <=> [i==i' && r==r']",
    "|- (i/a)/b==i/(a*b)",
    "|- 0<=i%k<k",
    "0<=io<ceil_div(n,64), 0<=ii<64 |- 64*io+ii<n",
    "0<=io<ceil_div(n,64) |- min(64,n-64*io)>=2",
    "|- (i/8)%4==(i%64)/8",
    "|- (l/64)*64==l",
    "0<=y<n, 0<=dy<3 |- 0<=y-1+dy<n",
    "0<=i<N, 0<=j<M, 0<=k<=K |- ((i*M+j)*K+k)<N*M*K",
    "n%64==0 |- n%128==0",
    "|- false",
    "|- i<n",
    "i<3 || i<6 |- i<5",
];

/// Not proved, and given up within this much work.
fn check_not(text: &str, work: u64) {
    let s = sequent(text);
    let mut arith = Arith::new();
    assert_eq!(arith.prove(&s.ctx, &s.goal), None, "{text}");
    assert!(arith.spent() <= work, "{} work, {work} allowed: {text}", arith.spent());
}

/// What small values show to be wrong is not searched for on.
#[test]
fn what_has_a_counterexample_takes_little() {
    let rounds = "0<n, 0<=k, 0<=t<k*n*n, 0<=i<n";
    for goal in [
        "(t/n)%n<=t%n",
        "i==t%n",
        "0<=(t/n)%n-i",
        "max((t/n)%n,t%n)<=min((t/n)%n+1,t%n+1)",
        "i+max((t/n)%n,t%n)==(t/n)%n",
    ] {
        check_not(&format!("{rounds} |- {goal}"), 8_100);
    }
}

#[test]
fn not_provable() {
    WRONG.iter().for_each(|text| check_not(text, 12_000));
}

#[test]
fn not_provable_among_irrelevant_hypotheses() {
    let noise: String = (0..6)
        .map(|k| format!("0<=s{k}, 0<=x{k}<s{k}, 0<=y{k}<ceil_div(s{k},n), s{k}*x{k}<=z{k}, "))
        .collect();
    WRONG
        .iter()
        .filter(|text| **text != "|- false")
        .for_each(|text| check_not(&format!("0<n, {noise}{text}"), 400_000));
}

#[test]
fn nested_quotients_of_products() {
    let known = "0<=a, 0<=b, 0<=c, 0<=d, 0<b, 0<c, 0<d";
    let twice = "((a*c*b*d+d-1)/d+b-1)/b";
    check(&format!("{known} |- ((a*c*b+b-1)/b+c-1)/c == ({twice}+c-1)/c"), u64::MAX);
}

/// From `q <= (n - w) / s` follows `q*s <= n - w`, whatever a peeled loop makes of `q`.
#[test]
fn windows_with_symbolic_strides() {
    let conv = "0<=n, 0<=w<=n, 0<s, 0<=io, 0<=ii<4, 0<=r<w, ";
    let peeled = "io+(((n-w)/s-3)/4+1)";
    check_all(
        40_000,
        &[
            &format!("{conv} ({peeled})*4+ii<(n-w)/s+1 |- 0<=(({peeled})*4+ii)*s+r<n"),
            &format!("{conv} io<((n-w)/s-3)/4+1 |- 0<=(io*4+ii)*s+r<n"),
            &format!("{conv} 0<t, io<((n-w)/(s*t)-3)/4+1 |- 0<=(io*4+ii)*s*t+r<n"),
            &format!("{conv} 0<k, 0<=j<k, io<ceil_div((n-w)/s+1,k), io*k+j<(n-w)/s+1 |- 0<=(io*k+j)*s+r<n"),
        ],
    );
    check_not(&format!("{conv} ({peeled})*4+ii<(n-w)/s+2 |- (({peeled})*4+ii)*s+r<n"), 400_000);
    check_not(&format!("{conv} io<((n-w)/s-2)/4+1 |- (io*4+ii)*s+r<n"), 410_000);
}

/// What a minimum beside says of other quotients keeps no tile from being inside.
#[test]
fn tiles_beside_minima() {
    let tile =
        |m: &str, x: &str, k: u32| format!("0<={m}, {m}%{k}==0, 0<={x}o<ceil_div({m},{k}), 0<={x}i<{k}, ");
    let next = |m: &str, x: &str, k: u32| format!("0<=min(({x}o*{k}+{x}i)/{k}+1,{m}/{k}-1)<{m}/{k} ");
    let (x, y) = (tile("m", "x", 8), tile("n", "y", 6));
    check_all(
        16_000,
        &[
            &format!("{x}{} |- 0<=xo*8+xi<m", next("m", "x", 8)),
            &format!("{x} 0<=max((xo*8+xi)/8-1,0)<m/8 |- 0<=xo*8+xi<m"),
            &format!("{x}{y}{}, {} |- 0<=xo*8+xi<m && 0<=yo*6+yi<n", next("m", "x", 8), next("n", "y", 6)),
        ],
    );
    check_not(&format!("{x}{} |- xo*8+xi<m-1", next("m", "x", 8)), 400_000);
}

/// Tiles of products of sizes, of any length and nested.
#[test]
fn tiles_of_products() {
    let known = "0<a, 0<b, 0<c, 0<d, 0<e, 0<=o, 0<=i, 0<=j, ";
    for text in [
        "o<ceil_div(a*b*c,b*c), i<b*c |- o*(b*c)+i<a*b*c",
        "o<ceil_div(a*b*c*d,b*d), i<b*d |- o*(b*d)+i<a*b*c*d",
        "o<ceil_div(a*b*c*d*e,b*d*e), i<b*d*e |- o*(b*d*e)+i<a*b*c*d*e",
        "o<ceil_div(ceil_div(a*b*c,c),b), i<b, j<c |- (o*b+i)*c+j<a*b*c",
        "o<ceil_div(ceil_div(a*b*c*d,c),b), i<b, j<c |- (o*b+i)*c+j<a*b*c*d",
    ] {
        let s = sequent(&format!("{known}{text}"));
        let cert = Arith::new().prove(&s.ctx, &s.goal).unwrap_or_else(|| panic!("not proved: {text}"));
        assert_eq!(cert::check(&s.ctx, &s.goal, &cert), Ok(()), "{text}");
    }
    check_not(&format!("{known} o<=ceil_div(a*b*c*d*e,b*d*e), i<b*d*e |- o*(b*d*e)+i<a*b*c*d*e"), 410_000);
}
