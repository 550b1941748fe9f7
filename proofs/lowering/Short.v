(** Index terms shortened by how far the loops around go, as [atl] shortens them: a quotient of a quotient is one quotient, a remainder is
    the number where that is less than the divisor, and a term that can have one value only is that value. *)
Require Import ZArith List Bool Lia.
Require Import Atl.Index.
Import ListNotations.
Open Scope Z_scope.

(** How many iterations the loops around have, innermost first, where that is known. *)
Definition trips := list (option Z).

(** The least and the greatest value that a term can have. *)
Fixpoint span (ns : trips) (t : term) : option (Z * Z) :=
  match t with
  | Lit z => Some (z, z)
  | Bound k => match nth k ns None with Some n => Some (0, n - 1) | None => None end
  | Op Add a b => match span ns a, span ns b with Some (l, h), Some (m, i) => Some (l + m, h + i) | _, _ => None end
  | Op Div a (Lit d) => if 0 <? d then match span ns a with Some (l, h) => Some (l / d, h / d) | None => None end else None
  | Op Mod _ (Lit d) => if 0 <? d then Some (0, d - 1) else None
  | _ => None
  end.

Definition quotient (a d : term) : term :=
  match a, d with
  | Op Div x (Lit p), Lit q => if (0 <? p) && (0 <? q) then Op Div x (Lit (p * q)) else Op Div a d
  | _, _ => Op Div a d
  end.
Definition remainder (ns : trips) (a d : term) : term :=
  match span ns a, d with
  | Some (l, h), Lit q => if (0 <=? l) && (h <? q) then a else Op Mod a d
  | _, _ => Op Mod a d
  end.
Definition settled (ns : trips) (t : term) : term :=
  match span ns t with Some (l, h) => if l =? h then Lit l else t | None => t end.

Fixpoint shortened (ns : trips) (t : term) : term :=
  match t with
  | Op o a b =>
      let a := shortened ns a in
      let b := shortened ns b in
      settled ns (match o with Div => quotient a b | Mod => remainder ns a b | _ => Op o a b end)
  | Read l ts => Read l (map (shortened ns) ts)
  | t => settled ns t
  end.

(** A predicate of other terms. *)
Fixpoint map_predicate (f : term -> term) (p : predicate) : predicate :=
  match p with
  | Cmp r a b => Cmp r (f a) (f b)
  | Not p => Not (map_predicate f p)
  | And p q => And (map_predicate f p) (map_predicate f q)
  | Or p q => Or (map_predicate f p) (map_predicate f q)
  | p => p
  end.
Definition shortened_predicate (ns : trips) : predicate -> predicate := map_predicate (shortened ns).

(** Where each loop's index is within its extent, nothing changes. *)
Section Values.
Variables (c : context) (bound : list Z) (ns : trips).
Hypothesis within : forall k n, nth k ns None = Some n -> 0 <= nth k bound 0 < n.
Notation val := (value c bound).

Lemma span_value t l h : span ns t = Some (l, h) -> l <= val t <= h.
Proof using within.
  revert l h. induction t as [z|x|k|o a IHa b IHb|x ts]; cbn; intros l h E; try discriminate.
  - inversion E. lia.
  - destruct (nth k ns None) as [n|] eqn:N; inversion E. specialize (within k n N). lia.
  - destruct o; try discriminate.
    + destruct (span ns a) as [[]|], (span ns b) as [[]|]; try discriminate.
      specialize (IHa _ _ eq_refl). specialize (IHb _ _ eq_refl). inversion E. cbn. lia.
    + destruct b; try discriminate. destruct (Z.ltb_spec 0 z); try discriminate.
      destruct (span ns a) as [[]|]; try discriminate. specialize (IHa _ _ eq_refl). inversion E. cbn.
      split; apply Z.div_le_mono; lia.
    + destruct b; try discriminate. destruct (Z.ltb_spec 0 z); try discriminate. inversion E. cbn.
      pose proof (Z.mod_pos_bound (val a) z). lia.
Qed.

Lemma value_quotient a d : val (quotient a d) = val a / val d.
Proof using.
  destruct a as [| | |[] x [p| | | |]|], d as [q| | | |]; try reflexivity. cbn.
  destruct (Z.ltb_spec 0 p), (Z.ltb_spec 0 q); try reflexivity. cbn. symmetry. apply Z.div_div; lia.
Qed.

Lemma value_remainder a d : val (remainder ns a d) = val a mod val d.
Proof using within.
  unfold remainder. destruct (span ns a) as [[l h]|] eqn:S; try reflexivity. destruct d as [q| | | |]; try reflexivity.
  apply span_value in S. destruct (Z.leb_spec 0 l), (Z.ltb_spec h q); try reflexivity. cbn. symmetry. apply Z.mod_small. lia.
Qed.

Lemma value_settled t : val (settled ns t) = val t.
Proof using within.
  unfold settled. destruct (span ns t) as [[l h]|] eqn:S; try reflexivity. apply span_value in S.
  destruct (Z.eqb_spec l h); try reflexivity. cbn. lia.
Qed.

Lemma value_shortened t : val (shortened ns t) = val t.
Proof using within.
  induction t as [| | |o a b IHa IHb|l ts IH] using term_induction; cbn [shortened]; try (rewrite value_settled; reflexivity).
  - rewrite value_settled. destruct o; cbn; rewrite ?value_quotient, ?value_remainder, IHa, IHb; reflexivity.
  - cbn. f_equal. rewrite map_map. apply map_ext_Forall, IH.
Qed.

Lemma holds_shortened p : holds c bound (shortened_predicate ns p) = holds c bound p.
Proof using within. unfold shortened_predicate. induction p; cbn; rewrite ?value_shortened; congruence. Qed.
End Values.
