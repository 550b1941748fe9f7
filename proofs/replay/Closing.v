(** Words closed by what their variables stand for, in contexts with more entries. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Words.
Import ListNotations.
Open Scope Z_scope.

(** * Closing *)

(** The term, in a context with [d] entries more, with terms for its variables. *)
Fixpoint close (d : nat) (vs : list term) (t : term) : term :=
  match t with
  | Lit z => Lit z
  | Free l => Free (d + l)
  | Bound k => nth k vs (Lit 0)
  | Op op a b => Op op (close d vs a) (close d vs b)
  | Read l ts => Read (d + l) (map (close d vs) ts)
  end.

Fixpoint close_predicate (d : nat) (vs : list term) (p : predicate) : predicate :=
  match p with
  | True_ => True_
  | False_ => False_
  | Cmp r a b => Cmp r (close d vs a) (close d vs b)
  | Not p => Not (close_predicate d vs p)
  | And p q => And (close_predicate d vs p) (close_predicate d vs q)
  | Or p q => Or (close_predicate d vs p) (close_predicate d vs q)
  end.

Lemma value_close c xs bound vs t :
  Index.value (xs ++ c) bound (close (length xs) vs t) = Index.value c (map (Index.value (xs ++ c) bound) vs) t.
Proof.
  induction t as [|l|k|o a b IHa IHb|l us IH] using term_induction; cbn; try reflexivity.
  - unfold number. rewrite app_nth2_plus. reflexivity.
  - change 0 with (Index.value (xs ++ c) bound (Lit 0)) at 2. symmetry. apply map_nth.
  - rewrite IHa, IHb. reflexivity.
  - unfold array. rewrite app_nth2_plus. f_equal. rewrite map_map. apply map_ext_Forall, IH.
Qed.

Lemma holds_close c xs bound vs p :
  Index.holds (xs ++ c) bound (close_predicate (length xs) vs p) = Index.holds c (map (Index.value (xs ++ c) bound) vs) p.
Proof. induction p; cbn; rewrite ?value_close; congruence. Qed.

(** One entry more. *)
Definition lift : term -> term := close 1 [].
Definition lift_predicate : predicate -> predicate := close_predicate 1 [].
Definition lift_general (g : general) : general := (fst g, close_predicate 1 (map Bound (seq 0 (fst g))) (snd g)).

Lemma value_lift c x t : Index.value (x :: c) [] (lift t) = Index.value c [] t.
Proof. exact (value_close c [x] [] [] t). Qed.

Lemma values_lift c x ts : map (Index.value (x :: c) []) (map lift ts) = map (Index.value c []) ts.
Proof. rewrite map_map. apply map_ext. intros t. apply value_lift. Qed.

Lemma all_hold_lift c x ps : all_hold c ps -> all_hold (x :: c) (map lift_predicate ps).
Proof. induction ps as [|p ps IH]; cbn; [easy|]. intros [H K]. split; [rewrite <- H; exact (holds_close c [x] [] [] p)|auto]. Qed.

Lemma bounds_nth (zs : list Z) : map (fun k => nth k zs 0) (seq 0 (length zs)) = zs.
Proof.
  induction zs as [|z zs IH]; [reflexivity|]. cbn [length seq map nth]. f_equal. rewrite <- IH at 2. rewrite <- seq_shift, map_map.
  reflexivity.
Qed.

Lemma all_general_lift c x gs : all_general c gs -> all_general (x :: c) (map lift_general gs).
Proof.
  induction gs as [|[n p] gs IH]; cbn; [easy|]. intros [H K]. split; [|auto].
  intros zs L. cbn [fst snd lift_general] in L |- *. rewrite (holds_close c [x] zs), map_map. cbn [Index.value].
  rewrite <- L, bounds_nth. exact (H zs L).
Qed.

Definition inside (i n : term) : predicate := And (Cmp Le (Lit 0) i) (Cmp Lt i n).

(** * Row-major cells *)
Fixpoint extent_term (s : list term) : term := match s with [] => Lit 1 | n :: s => Op Mul n (extent_term s) end.
Fixpoint flat_term (s is : list term) : term :=
  match s, is with n :: s, i :: is => Op Add (Op Mul i (extent_term s)) (flat_term s is) | _, _ => Lit 0 end.

Lemma extent_term_value c s : Index.value c [] (extent_term s) = extent (map (Index.value c []) s).
Proof. induction s as [|n s IH]; cbn; [reflexivity|]. rewrite IH. reflexivity. Qed.

Lemma flat_term_value c s is : Index.value c [] (flat_term s is) = flat (map (Index.value c []) s) (map (Index.value c []) is).
Proof. revert is. induction s as [|n s IH]; intros [|i is]; cbn; try reflexivity. rewrite IH, extent_term_value. reflexivity. Qed.

(** * Predicates of the elements of a tensor *)

(** [Bound k] is index [k] of an element, in whatever context. *)
Fixpoint raise (t : term) : term :=
  match t with
  | Lit z => Lit z
  | Free l => Free (S l)
  | Bound k => Bound k
  | Op op a b => Op op (raise a) (raise b)
  | Read l ts => Read (S l) (map raise ts)
  end.
Fixpoint raise_predicate (p : predicate) : predicate :=
  match p with
  | True_ => True_
  | False_ => False_
  | Cmp r a b => Cmp r (raise a) (raise b)
  | Not p => Not (raise_predicate p)
  | And p q => And (raise_predicate p) (raise_predicate q)
  | Or p q => Or (raise_predicate p) (raise_predicate q)
  end.

(** [Index.value] and [Index.holds] as functions of the indices, which are the same functions where the context has entries more. *)
Fixpoint value_at (c : context) (t : term) : list Z -> Z :=
  match t with
  | Lit z => fun _ => z
  | Free l => fun _ => number c l
  | Bound k => fun is => nth k is 0
  | Op op a b => let f := value_at c a in let g := value_at c b in fun is => apply op (f is) (g is)
  | Read l ts => let fs := map (value_at c) ts in fun is => array c l (map (fun f => f is) fs)
  end.
Fixpoint holds_at (c : context) (p : predicate) : list Z -> bool :=
  match p with
  | True_ => fun _ => true
  | False_ => fun _ => false
  | Cmp r a b => let f := value_at c a in let g := value_at c b in fun is => compare r (f is) (g is)
  | Not p => let f := holds_at c p in fun is => negb (f is)
  | And p q => let f := holds_at c p in let g := holds_at c q in fun is => f is && g is
  | Or p q => let f := holds_at c p in let g := holds_at c q in fun is => f is || g is
  end.

Lemma value_at_value c t is : value_at c t is = Index.value c is t.
Proof.
  induction t as [z|l|k|o a b IHa IHb|l ts IH] using term_induction; cbn; try reflexivity; [rewrite IHa, IHb; reflexivity|].
  f_equal. rewrite map_map. apply map_ext_Forall, IH.
Qed.

Lemma holds_at_holds c p is : holds_at c p is = Index.holds c is p.
Proof. induction p; cbn; rewrite ?value_at_value; congruence. Qed.

Lemma value_at_raise c e t : value_at (e :: c) (raise t) = value_at c t.
Proof.
  induction t as [z|l|k|o a b IHa IHb|l ts IH] using term_induction; cbn [value_at raise]; try reflexivity; [rewrite IHa, IHb; reflexivity|].
  assert (E : map (value_at (e :: c)) (map raise ts) = map (value_at c) ts) by (rewrite map_map; apply map_ext_Forall, IH).
  rewrite E. reflexivity.
Qed.

Lemma holds_at_raise c e p : holds_at (e :: c) (raise_predicate p) = holds_at c p.
Proof.
  induction p as [| |r a b|p IH|p IHp q IHq|p IHp q IHq]; cbn [holds_at raise_predicate]; try reflexivity;
    [rewrite !value_at_raise|rewrite IH|rewrite IHp, IHq|rewrite IHp, IHq]; reflexivity.
Qed.

(** All of them. *)
Fixpoint hold_at (c : context) (ps : list predicate) : list Z -> bool :=
  match ps with [] => fun _ => true | p :: ps => let f := holds_at c p in let g := hold_at c ps in fun is => f is && g is end.

Lemma hold_at_raise c e ps : hold_at (e :: c) (map raise_predicate ps) = hold_at c ps.
Proof. induction ps as [|p ps IH]; cbn [hold_at map]; [reflexivity|]. rewrite holds_at_raise, IH. reflexivity. Qed.

(** Terms that name no index. *)
Fixpoint is_closed (t : term) : bool :=
  match t with Lit _ | Free _ => true | Bound _ => false | Op _ a b => is_closed a && is_closed b | Read _ ts => forallb is_closed ts end.

Lemma closed_value c t is : is_closed t = true -> value_at c t is = Index.value c [] t.
Proof.
  induction t as [z|l|k|o a b IHa IHb|l ts IH] using term_induction; cbn; try easy.
  - intros [A B]%andb_true_iff. rewrite IHa, IHb by assumption. reflexivity.
  - intros A. f_equal. rewrite map_map. rewrite forallb_forall in A. apply map_ext_Forall. rewrite Forall_forall in *. auto.
Qed.
