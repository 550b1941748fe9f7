(** Whether two loop programs are the same, but for the names of temporaries, how index terms are written, loops of one iteration, which may
    be their bodies, loops of none and what is around nothing, which may be left out, and allocations, which may be around the loop, with a new
    lifetime where they were. *)
Require Import String ZArith List Bool.
Require Import Atl.lowering.Short.
Require Export Atl.lowering.Lower.
Import ListNotations.
Open Scope Z_scope.

(** The names of temporaries around, in pairs. *)
Definition names := list (string * string).
Fixpoint same_name (m : names) (a b : string) : bool :=
  match m with
  | [] => String.eqb a b
  | (x, y) :: m => if String.eqb a x || String.eqb b y then String.eqb a x && String.eqb b y else same_name m a b
  end.

(** Of a choice whose condition is decided where it stands, [atl] has only the one value, or the one branch: [decided] allows that. That a condition is
    decided so is not compared here: the steps that are replayed have a certificate of it. It allows terms that are shortened by how far the loops
    around, [ns], go, too. *)
Section Decided.
Variable decided : bool.

Definition same_index (ns : trips) (a b : index_word) : bool :=
  same_term (index_term a) (index_term b) || (decided && same_term (shortened ns (index_term a)) (shortened ns (index_term b))).
Definition same_test (ns : trips) (p q : test_word) : bool :=
  same_predicate (test_term p) (test_term q) ||
  (decided && same_predicate (shortened_predicate ns (test_term p)) (shortened_predicate ns (test_term q))).

Fixpoint same_value (ns : trips) (m : names) (v w : value_word) {struct w} : bool :=
  match v, w with
  | VConst c, VConst d => same_constant c d
  | VLoad a i, VLoad b j => same_name m a b && same_index ns i j
  | VIndex f i, VIndex g j => Nat.eqb f g && same_index ns i j
  | VOne f v, VOne g w => Nat.eqb f g && same_value ns m v w
  | VTwo f v v', VTwo g w w' => Nat.eqb f g && same_value ns m v w && same_value ns m v' w'
  | VThree f v v' v'', VThree g w w' w'' => Nat.eqb f g && same_value ns m v w && same_value ns m v' w' && same_value ns m v'' w''
  | _, _ => false
  end ||
  match w with
  | VChoose q w w' =>
      match v with VChoose p v v' => same_test ns p q && same_value ns m v w && same_value ns m v' w' | _ => false end ||
      (decided && (same_value ns m v w || same_value ns m v w'))
  | _ => false
  end.

Definition same_start (i j : option constant) : bool :=
  match i, j with None, None => true | Some c, Some d => same_constant c d | _, _ => false end.
Fixpoint same_terms (s r : list term) : bool :=
  match s, r with [], [] => true | n :: s, m :: r => same_term n m && same_terms s r | _, _ => false end.

(** ** A loop of one iteration *)

(** Outside of the loop that [d] loops are inside of: its index is 0. *)
Fixpoint first_term (d : nat) (t : term) : term :=
  match t with
  | Lit z => Lit z | Free l => Free l
  | Bound k => if Nat.eqb k d then Lit 0 else if Nat.ltb d k then Bound (pred k) else Bound k
  | Op o a b => Op o (first_term d a) (first_term d b)
  | Read l ts => Read l (map (first_term d) ts)
  end.
Definition first_index (d : nat) (w : index_word) : index_word := IPlain (first_term d (index_term w)).
Definition first_test (d : nat) (p : test_word) : test_word := TPlain (map_predicate (first_term d) (test_term p)).
Fixpoint first_value (d : nat) (v : value_word) : value_word :=
  match v with
  | VConst c => VConst c
  | VLoad b i => VLoad b (first_index d i)
  | VIndex f i => VIndex f (first_index d i)
  | VOne f v => VOne f (first_value d v)
  | VTwo f v w => VTwo f (first_value d v) (first_value d w)
  | VThree f u v w => VThree f (first_value d u) (first_value d v) (first_value d w)
  | VChoose p v w => VChoose (first_test d p) (first_value d v) (first_value d w)
  end.
Fixpoint first_iteration (d : nat) (p : loop_word) : loop_word :=
  match p with
  | LSkip => LSkip
  | LSeq p q => LSeq (first_iteration d p) (first_iteration d q)
  | LFor lo hi p => LFor (first_index d lo) (first_index d hi) (first_iteration (S d) p)
  | LIf c p q => LIf (first_test d c) (first_iteration d p) (first_iteration d q)
  | LAlloc b s init p => LAlloc b (map (first_term d) s) init (first_iteration d p)
  | LReset b init => LReset b init
  | LForget b lo hi => LForget b (first_index d lo) (first_index d hi)
  | LStore b i v => LStore b (first_index d i) (first_value d v)
  | LReplace b i v => LReplace b (first_index d i) (first_value d v)
  | LUpdate a b i v => LUpdate a b (first_index d i) (first_value d v)
  end.

(** ** Statements in a row, one after the other whichever way they are grouped *)
Fixpoint in_a_row (p rest : loop_word) : loop_word :=
  match p with
  | LSeq p q => in_a_row p (in_a_row q rest)
  | LSkip => rest
  | p => match rest with LSkip => p | _ => LSeq p rest end
  end.
Fixpoint grouped (p : loop_word) : loop_word :=
  match p with
  | LSeq p q => in_a_row (grouped p) (grouped q)
  | LFor lo hi p =>
      if same_term (index_term hi) (Lit 0) then LSkip else
      if same_term (index_term hi) (Lit 1) then first_iteration 0 (grouped p) else match grouped p with LSkip => LSkip | p => LFor lo hi p end
  | LIf c p q => match grouped p, grouped q with LSkip, LSkip => LSkip | p, q => LIf c p q end
  | LAlloc b s init p => LAlloc b s init (grouped p)
  | p => p
  end.

(** ** Both *)

(** How far a loop goes, if that is a number and it begins at 0. *)
Definition trips_of (lo hi : index_word) : option Z :=
  match index_term lo, index_term hi with Lit 0, Lit n => Some n | _, _ => None end.
Fixpoint same (fuel : nat) (ns : trips) (m : names) (p q : loop_word) : bool :=
  match fuel with
  | O => false
  | S fuel =>
      match p, q with
      | LSkip, LSkip => true
      | LSeq p p', LSeq q q' => same fuel ns m p q && same fuel ns m p' q'
      | LFor lo hi p, LFor lo' hi' q => same_index ns lo lo' && same_index ns hi hi' && same fuel (trips_of lo hi :: ns) m p q
      | LIf c p p', LIf d q q' => same_test ns c d && same fuel ns m p q && same fuel ns m p' q'
      | LAlloc a s i p, LAlloc b r j q => same_terms s r && same_start i j && same fuel ns ((a, b) :: m) p q
      | LSeq (LReset a i) p, LAlloc b _ j q => same_start i j && same fuel ns ((a, b) :: m) p q
      | LAlloc _ _ _ p, q => same fuel ns m p q
      | LReset a i, LReset b j => same_name m a b && same_start i j
      | LForget a lo hi, LForget b lo' hi' => same_name m a b && same_index ns lo lo' && same_index ns hi hi'
      | LStore a i v, LStore b j w => same_name m a b && same_index ns i j && same_value ns m v w
      | LReplace a i v, LReplace b j w => same_name m a b && same_index ns i j && same_value ns m v w
      | LUpdate k a i v, LUpdate l b j w => Nat.eqb k l && same_name m a b && same_index ns i j && same_value ns m v w
      | _, _ => false
      end ||
      (decided &&
        match q with
        | LIf _ q q' => same fuel ns m p q || same fuel ns m p q'
        | LSeq (LIf _ q q') r => same fuel ns m p (in_a_row q r) || same fuel ns m p (in_a_row q' r)
        | LSeq q r => same fuel ns m LSkip r && same fuel ns m p q
        | LFor _ _ q => match p with LSkip => same fuel (None :: ns) m LSkip q | _ => false end
        | _ => false
        end)
  end.
End Decided.

(** The loops that lowering gives for a term where this goal begins: the buffers of the tensors [ks] are its own. What the output's cells begin as
    stands in the target. *)
Definition lowered_words (g : goal) (to : target) (ks : list nat) (t : tensor_word) (s : list term) : loop_word :=
  let arr l := match List.find (fun a => Nat.eqb l (snd (fst a))) (lists g) with Some a => fst (fst a) | None => ""%string end in
  let env := map (fun k => match nth k (tensors g) None with Some (b, s, _) => (b, s) | None => (""%string, []) end) ks in
  lower arr t env to s.
Inductive verdict := Alike | Decided | Other.
Definition lowered_alike (g : goal) (to : target) (ks : list nat) (t : tensor_word) (s : list term) (p : loop_word) : verdict :=
  let p := grouped p in
  let q := grouped (grouped (lowered_words g to ks t s)) in
  let alike decided := same decided 1000 [] [] p q in
  if Bool.eqb (is_unset (held_before to)) (zeros t) then Other else if alike false then Alike else if alike true then Decided else Other.
