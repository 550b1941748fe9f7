//! Simplified terms: what they look like, and that the equality proves.

use crate::common::{sequent, term_in};
use atl_arith::{Arith, simplify, simplify_pred};
use atl_kernel::{Pred, Prover};

/// The simpler term, in the same notation.
fn check(hyps: &str, term: &str, expected: &str) {
    let (ctx, ix) = term_in(hyps, term);
    let simple = simplify(&ctx, &ix);
    // Both are read at once, so that variables that vanish keep their levels.
    let both = sequent(&format!("{hyps} |- {term} == 0 && {expected} == 0")).goal;
    let Pred::And(ab) = both else { unreachable!("a conjunction was parsed") };
    let Pred::Cmp(_, wanted, _) = &ab.1 else { unreachable!("a comparison was parsed") };
    assert_eq!(simple, *wanted, "{hyps} |- {term}");
    assert!(Arith::new().prove(&ctx, &Pred::eq(ix, simple)).is_some(), "{hyps} |- {term}");
}

fn check_pred(sequent_text: &str, expected: &str) {
    let s = sequent(sequent_text);
    let simple = simplify_pred(&s.ctx, &s.goal);
    if expected == "true" {
        assert_eq!(simple, Pred::True, "{sequent_text}");
    } else {
        let hyps = sequent_text.split("|-").next().unwrap_or_default();
        assert_eq!(simple, sequent(&format!("{hyps} |- {expected}")).goal, "{sequent_text}");
    }
    assert!(Arith::new().prove(&s.ctx, &Pred::iff(&s.goal, &simple)).is_some(), "{sequent_text}");
}

#[test]
fn terms() {
    check("", "x+0*y", "x");
    check("", "x+1-1", "x");
    check("", "(x+y)-y", "x");
    check("", "io*64+ii", "io*64+ii");
    check("", "((i*M+j)*K+k)", "((i*M+j)*K+k)");
    check("0<=ii<64", "(io*64+ii)/64", "io");
    check("", "min(i,i+o)", "i+min(0,o)");
    check("", "max(i*4+x,y+i*4)", "i*4+max(x,y)");
    check("", "min(64,N-io*64)", "min(64,N-io*64)");
    check("0<=ii<64", "(64*io+ii)%64", "ii");
    check("", "(64*io+ii)/64", "io+ii/64");
    check("", "(64*io+ii)%64", "ii%64");
    check("0<=j<m", "(i*m+j)/m", "i");
    check("0<=j<m", "(i*m+j)%m", "j");
    check("", "(l/64)*64+l%64", "l");
    check("", "l-(l/64)*64", "l%64");
    check("", "i-(i-l%M/2)", "l%M/2");
    check("0<=i<40", "i-(i-l%M%2)", "l%M%2");
    check("", "l-64*(l/64)+3", "l%64+3");
    check("k>0", "(l/k)*k+l%k", "l");
    check("0<m", "ceil_div(n*m,m)", "n");
    check("", "ceil_div(n*64,64)", "n");
    check("n%64==0", "ceil_div(n,64)", "n/64");
    check("0<=i<64", "i/64", "0");
    check("0<=i<n", "i/n", "0");
    check("0<=i<n", "min(i,n)", "i");
    check("0<=i<n", "max(i,n-1)+1", "n");
    check("0<=io<n/64", "min(64,n-64*io)", "64");
    check("", "(x/4)/8", "x/32");
    check("0<=i<N, 0<=j<M, 0<=k<K", "(((i*M+j)*K+k)/K)%M", "j");
    check("0<=a<4, 0<=b<8", "((a*8+b)/8)*8+(a*8+b)%8", "a*8+b");
    check("", "(x*4+y*4)", "(x+y)*4");
    check("", "(x*16+y)/15*15+(x*16+y)%15", "x*16+y");
    check("", "(r*15+(x*16+y)/15)*15+(x+y)%15", "r*225+x*16+y");
    check("", "x/13/13*169+x/13%13*13+x%13", "x");
    check("0<=x<2197", "(x/13/13*13+x/13%13)*13+x%13", "x");
    check("", "(x/2+31)/32", "(x/2+31)/32");
    check("", "((i*9+(p+i*7%8)/9/9)*9+(p+i*7%8)/9%9)*9+(p+i*7%8)%9", "i*729+p+i*7%8");
}

#[test]
fn predicates() {
    check_pred("0<=i<n |- 0<=i && i<n", "true");
    check_pred("0<=i<n |- 0<=i && i<m", "i<m");
    check_pred("0<=i<n |- i<0 || i<m", "i<m");
    check_pred("0<=i<n |- i<0", "false");
    check_pred("|- i<5 && i<7", "i<5");
    check_pred("|- i<7 && i<5", "i<5");
    check_pred("|- i<5 || i<7", "i<7");
    check_pred("0<=ii<64, 0<=io<n/64 |- io*64+ii<n", "true");
    check_pred("0<=y<n |- 0<=y-1 && y-1<n", "0<=y-1");
}
