(** The loops of a term: for each construct, which statement computes it.

    [fills G X p b s C place t k] says: where the tensors [G] are in memory, the statement [p] puts [t] into the buffer [b]. The
    element at an index [l] of the shape [s] goes to the cell [place l], if [C l]; those for which [C] does not hold are dropped. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Outcome Atl.Rules.
Import ListNotations.
Open Scope Z_scope.

(** A tensor in memory: the cell of each index, and the indices whose elements are there. *)
Record known (V : Type) := Placed { name : string; dims : shape; cell_at : index -> Z; present : index -> bool; held : tensor V }.
Arguments Placed {V}. Arguments name {V}. Arguments dims {V}. Arguments cell_at {V}. Arguments present {V}. Arguments held {V}.
(** All of it, in row-major order. *)
Definition Known {V} (b : string) (s : shape) (t : tensor V) : known V := Placed b s (flat s) (fun _ => true) t.

(** An index of another rank is in no box. *)
Ltac wrong_rank H := exfalso; revert H; cbn; rewrite ?andb_false_r; discriminate.

Section Lowering.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Notation guard := (guard A).
Implicit Types (G : list (known V)) (X : scratch) (b : string) (P Q : index -> Prop) (C : index -> bool) (t u : tensor V).
Implicit Types (place : index -> Z) (i j : int) (k : kind).

Definition holds (h : memory V) (x : known V) : Prop :=
  forall l, inbox l (dims x) -> present x l = true -> load h (name x) (cell_at x l) = Some (held x l).
Definition world (h : memory V) (G : list (known V)) (X : scratch) : Prop := Forall (holds h) G /\ there h X.

(** The buffer is none of those that are read, nor is any scratch. *)
Definition apart (G : list (known V)) (X : scratch) (b : string) : bool :=
  let free y := forallb (fun x => negb (String.eqb (name x) y)) G in
  free b && forallb (fun x => free (fst x) && negb (String.eqb (fst x) b)) X.

(** The indices whose elements are kept. *)
Definition live (s : shape) (C : index -> bool) : index -> Prop := fun l => inbox l s /\ C l = true.

Definition fills G X p b s C place t k : Prop :=
  apart G X b = true -> injective (live s C) place ->
  forall h, world h G X -> (forall l, live s C l -> exists c, find h b (place l) = Some c /\ before A k c) ->
  exists h', run p h = Some h' /\ outcome A h h' b X (live s C) place t k.

(** * What stays *)
Lemma holds_eq h h' x : h' (name x) = h (name x) -> holds h x -> holds h' x.
Proof. intros E H l B P. rewrite <- (H l B P). unfold load. rewrite (find_eq h' h); auto. Qed.

Lemma world_after G X b h h' P place t k : apart G X b = true -> outcome A h h' b X P place t k -> world h G X -> world h' G X.
Proof.
  intros D O [H T]. split; [|exact (kept _ _ _ _ _ _ _ _ _ O T)].
  rewrite Forall_forall in *. intros x I. apply (holds_eq h); [|exact (H x I)].
  unfold apart in D. apply andb_true_iff in D as [D E]. rewrite forallb_forall in D, E.
  apply (others _ _ _ _ _ _ _ _ _ O).
  - specialize (D x I). apply negb_true_iff, String.eqb_neq in D. exact D.
  - intros M. apply in_map_iff in M as (y & M & Y). specialize (E y Y). apply andb_true_iff in E as [E _].
    rewrite forallb_forall in E. specialize (E x I). apply negb_true_iff, String.eqb_neq in E. congruence.
Qed.

(** A buffer that is none of those may change. *)
Lemma world_put G X b h m : apart G X b = true -> world h G X -> world (put h b m) G X.
Proof.
  intros D [H T]. unfold apart in D. apply andb_true_iff in D as [D E]. rewrite forallb_forall in D, E.
  split; unfold there in *; rewrite Forall_forall in *; intros x I.
  - apply (holds_eq h); [|exact (H x I)]. apply put_other. specialize (D x I). apply negb_true_iff, String.eqb_neq in D. exact D.
  - specialize (E x I). apply andb_true_iff in E as [_ E]. apply negb_true_iff, String.eqb_neq in E.
    rewrite put_other by exact E. exact (T x I).
Qed.

(** * Index terms and conditions *)
Definition gives (i : int) (z : Z) : Prop := number_of ints i = Some z.
Definition decides (q : test) (p : bool) : Prop := truth_of ints q = Some p.

(** The array has the integers of a tensor, in row-major order. *)
Definition lies {W} b s (to_int : W -> Z) (t : tensor W) : Prop :=
  forall l, inbox l s -> entry_at ints b (flat s l) = Some (to_int (t l)).

Lemma gives_int (x y : Z) : x = y -> gives (Int x) y.
Proof. intros <-. reflexivity. Qed.

Lemma gives_calc f i j (x y : Z) : gives i x -> gives j y -> gives (Calc f i j) (f x y).
Proof. unfold gives. cbn. intros -> ->. reflexivity. Qed.

Lemma decides_compare f i j (x y : Z) : gives i x -> gives j y -> decides (Compare f i j) (f x y).
Proof. unfold gives, decides. cbn. intros -> ->. reflexivity. Qed.

Lemma decides_negate p q : decides q p -> decides (Negate q) (negb p).
Proof. unfold decides. cbn. intros ->. reflexivity. Qed.

(** What stands second need be decided only where it is asked. *)
Lemma decides_both p q p' q' : decides p' p -> (p = true -> decides q' q) -> decides (Both p' q') (p && q).
Proof. unfold decides. cbn. intros -> E. destruct p; [apply E|]; reflexivity. Qed.

Lemma decides_either p q p' q' : decides p' p -> (p = false -> decides q' q) -> decides (Either p' q') (p || q).
Proof. unfold decides. cbn. intros -> E. destruct p; [|apply E]; reflexivity. Qed.

(** * Values *)
Definition reads G (v : value V) (t : tensor V) : Prop := forall h, Forall (holds h) G -> eval ints h v = Some (t []).

Lemma reads_scalar G v : reads G (Const v) (scalar v).
Proof. intros h _. reflexivity. Qed.

Lemma reads_index G (f : Z -> V) i x : gives i x -> reads G (OfInt f i) (scalar (f x)).
Proof. intros E h _. cbn. rewrite E. reflexivity. Qed.

Lemma reads_view G v t : reads G v t -> reads G v (view t).
Proof. auto. Qed.

Lemma reads_prim1 G f v t : reads G v t -> reads G (Unary f v) (prim1 f t).
Proof. intros E h H. cbn. rewrite (E h H). reflexivity. Qed.

Lemma reads_prim2 G f v w t u : reads G v t -> reads G w u -> reads G (Binary f v w) (prim2 f t u).
Proof. intros E F h H. cbn. rewrite (E h H), (F h H). reflexivity. Qed.

Lemma reads_prim3 G f v w x t u y : reads G v t -> reads G w u -> reads G x y -> reads G (Ternary f v w x) (prim3 f t u y).
Proof. intros E F K h H. cbn. rewrite (E h H), (F h H), (K h H). reflexivity. Qed.

Lemma reads_select G p q v w t u : decides q p -> (p = true -> reads G v t) -> (p = false -> reads G w u) ->
  reads G (Choose q v w) (select p t u).
Proof. intros D E F h H. cbn. rewrite D. cbn. unfold select. destruct p; [apply E | apply F]; auto. Qed.

Lemma reads_guard G p q v t : decides q p -> (p = true -> reads G v t) -> reads G (Choose q v (Const (zero A))) (guard p t).
Proof. intros D E h H. cbn. rewrite D. cbn. unfold Tensor.guard. destruct p; [apply E; auto | reflexivity]. Qed.

(** Conditions that are decided. *)
Lemma reads_select_true G p v t u : p = true -> reads G v t -> reads G v (select p t u).
Proof. intros ->. auto. Qed.
Lemma reads_select_false G p v t u : p = false -> reads G v u -> reads G v (select p t u).
Proof. intros ->. auto. Qed.
Lemma reads_guard_true G p v t : p = true -> reads G v t -> reads G v (guard p t).
Proof. intros ->. auto. Qed.
Lemma reads_guard_false G p t : p = false -> reads G (Const (zero A)) (guard p t).
Proof. intros -> h _. reflexivity. Qed.

(** * Stores *)
Lemma scalar_live C l : live [] C l -> l = [].
Proof. intros [B _]. destruct l; easy. Qed.

Lemma outcome_change h b X C (i : Z) place t k (f : cell V -> option (cell V)) : i = place [] -> C [] = true -> apart [] X b = true ->
  (forall c, before A k c -> exists c', f c = Some c' /\ content c' = total A k (content c) (t [])) ->
  (forall l, live [] C l -> exists c, find h b (place l) = Some c /\ before A k c) ->
  exists h', change h b i f = Some h' /\ outcome A h h' b X (live [] C) place t k.
Proof.
  intros -> L D H Bf. destruct (Bf [] (conj I L)) as (c & F & B). destruct (H c B) as (c' & E & T).
  destruct (change_some h b (place []) f c c' F E) as (h' & Ch & O & S & Fn & Fr). exists h'. split; [exact Ch|].
  assert (N : forall x, In x X -> fst x <> b).
  { cbn in D. rewrite forallb_forall in D. intros x Ix. specialize (D x Ix). apply negb_true_iff, String.eqb_neq in D. exact D. }
  split; auto.
  - intros T'. unfold there in *. rewrite Forall_forall in *. intros x Ix. rewrite O by auto. auto.
  - intros i N'. apply Fr. intros ->. apply (N' [] (conj I L)). reflexivity.
  - intros l d L' Fd _. rewrite (scalar_live _ _ L') in *. rewrite F in Fd. injection Fd as <-. eauto.
Qed.

Lemma apart_scratch G X b : apart G X b = true -> apart [] X b = true.
Proof.
  unfold apart. cbn. rewrite andb_true_iff. intros [_ D]. rewrite forallb_forall in *. intros x Ix. specialize (D x Ix).
  rewrite andb_true_iff in D. tauto.
Qed.

Lemma fills_store G X b C place i v t k : k <> Adding -> gives i (place []) -> C [] = true -> reads G v t ->
  fills G X (Store b i v) b [] C place t k.
Proof.
  intros K E L R D J h [W T] Bf. cbn [Loops.run]. rewrite E. cbn [bind]. rewrite (R h W). cbn [bind].
  apply (outcome_change h b X C (place []) place t k); auto; [eapply apart_scratch, D|].
  intros c B. exists (Cell (Some (t [])) true). unfold set_cell.
  destruct k; [|destruct B as [B _]|easy]; cbn in B; rewrite B; auto.
Qed.

Lemma fills_update G X b C place i v t : gives i (place []) -> C [] = true -> reads G v t ->
  fills G X (Update (add A) b i v) b [] C place t Adding.
Proof.
  intros E L R D J h [W T] Bf. cbn [Loops.run]. rewrite E. cbn [bind]. rewrite (R h W). cbn [bind].
  apply (outcome_change h b X C (place []) place t Adding); auto; [eapply apart_scratch, D|].
  intros c B. cbn in B. unfold update_cell. destruct (content c) as [x|] eqn:Q; [|easy]. cbn. eauto.
Qed.

(** * Nothing to do *)
Lemma fills_if G X p q a z b s C place t k : decides q p ->
  (p = true -> fills G X a b s C place t k) -> (p = false -> fills G X z b s C place t k) ->
  fills G X (If q a z) b s C place t k.
Proof.
  intros E F K. destruct p; [specialize (F eq_refl); clear K | specialize (K eq_refl); clear F];
    intros D J h W Bf; cbn [Loops.run]; rewrite E; cbn [bind]; auto.
Qed.

Lemma fills_nothing G X b s C place t k : (forall l, live s C l -> False) -> fills G X Skip b s C place t k.
Proof.
  intros N D J h W Bf. exists h. split; [reflexivity|].
  apply (outcome_iff A h h b X (fun _ => False) _ place t t); [|reflexivity | apply outcome_none].
  intros l. split; [easy | apply N].
Qed.

(** * Conditions *)
Lemma fills_select G X p q a z b s C place t u k : decides q p ->
  (p = true -> fills G X a b s C place t k) -> (p = false -> fills G X z b s C place u k) ->
  fills G X (If q a z) b s C place (select p t u) k.
Proof. intros E F K. apply (fills_if G X p); [exact E| |]; intros ->; auto. Qed.

Lemma fills_select_true G X p a b s C place t u k : p = true -> fills G X a b s C place t k ->
  fills G X a b s C place (select p t u) k.
Proof. intros ->. auto. Qed.
Lemma fills_select_false G X p a b s C place t u k : p = false -> fills G X a b s C place u k ->
  fills G X a b s C place (select p t u) k.
Proof. intros ->. auto. Qed.
Lemma fills_guard_true G X p a b s C place t k : p = true -> fills G X a b s C place t k ->
  fills G X a b s C place (guard p t) k.
Proof. intros ->. auto. Qed.

(** Where the guard fails nothing is stored: the cell is zero already, *)
Lemma fills_zeros G X b s C place t k : (forall l, t l = zero A) -> k <> Unset -> (k = Adding -> law_add_0_r A) ->
  fills G X Skip b s C place t k.
Proof.
  intros Z N L D J h W Bf. exists h. split; [reflexivity|].
  apply (outcome_extend A h h b X (fun _ => False)); auto; [easy|apply outcome_none].
Qed.

Lemma fills_guard G X p q a b s C place t : decides q p -> (p = true -> fills G X a b s C place t Zeroed) ->
  fills G X (If q a Skip) b s C place (guard p t) Zeroed.
Proof. intros E F. apply (fills_if G X p); [exact E| |]; intros ->; [auto|]. apply fills_zeros; easy. Qed.

(** or zero need not be added, *)
Lemma fills_guard_adding G X p q a b s C place t : law_add_0_r A -> decides q p ->
  (p = true -> fills G X a b s C place t Adding) -> fills G X (If q a Skip) b s C place (guard p t) Adding.
Proof. intros L E F. apply (fills_if G X p); [exact E| |]; intros ->; [auto|]. apply fills_zeros; easy. Qed.

Lemma fills_guard_false G X p b s C place t : p = false -> fills G X Skip b s C place (guard p t) Zeroed.
Proof. intros ->. apply fills_zeros; easy. Qed.

Lemma fills_guard_false_adding G X p b s C place t : law_add_0_r A -> p = false ->
  fills G X Skip b s C place (guard p t) Adding.
Proof. intros L ->. apply fills_zeros; easy. Qed.

(** or no element is kept. *)
Lemma fills_guard_dropped G X p q a b s C place t k : decides q p -> (forall l, in_box l s = true -> C l = true -> p = true) ->
  (p = true -> fills G X a b s C place t k) -> fills G X (If q a Skip) b s C place (guard p t) k.
Proof.
  intros E K F. apply (fills_if G X p); [exact E| |]; intros ->; [auto|]. apply fills_nothing.
  intros l [B L]. apply in_box_iff in B. specialize (K l B L). discriminate.
Qed.

(** Or the zero of a scalar is stored. *)
Lemma fills_guard_else G X p q a z b C place t k : decides q p -> (p = true -> fills G X a b [] C place t k) ->
  (p = false -> fills G X z b [] C place (scalar (zero A)) k) -> fills G X (If q a z) b [] C place (guard p t) k.
Proof. intros E F K. apply (fills_if G X p); [exact E| |]; intros ->; auto. Qed.
End Lowering.
Arguments gives ints i z : clear implicits.
Arguments decides ints q p : clear implicits.
Arguments lies ints {W} b s to_int t.
Arguments reads {V} ints G v t.
Arguments fills {V} ints A G X p b s C place t k.
