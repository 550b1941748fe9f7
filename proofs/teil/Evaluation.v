(** What TeIL means: the element of an expression at a list of indices, and what statements do to memory.

    Memory has elements at some lists of indices of some names, and nothing elsewhere. Where an expression reads what is not
    there, has no position that it names, or where a statement writes to what is not there, evaluation traps: it has no result.
    Indices begin at 1. A reduction adds from zero, in order. *)
Require Import Arith String List Bool Lia.
Require Export Atl.teil.Typing.
Import ListNotations.

Definition indices := list nat.

(** The indices of a type: as many as sizes, each from 1 to its size. *)
Definition inside (k : indices) (s : sizes) : Prop := Forall2 (fun m n => 1 <= m <= n) k s.

Fixpoint insideb (k : indices) (s : sizes) : bool :=
  match k, s with
  | [], [] => true
  | m :: k, n :: s => (1 <=? m) && (m <=? n) && insideb k s
  | _, _ => false
  end.

(** All of them, the last running fastest. *)
Fixpoint all_inside (s : sizes) : list indices :=
  match s with [] => [[]] | n :: s => flat_map (fun m => map (cons m) (all_inside s)) (seq 1 n) end.

Section Evaluation.
Context {V : Type} (A : algebra V).

Definition memory := string -> indices -> option V.

Definition is_some {T} (o : option T) : bool := if o then true else false.
Definition apply2 (f : V -> V -> V) (a b : option V) : option V :=
  match a, b with Some a, Some b => Some (f a b) | _, _ => None end.

(** [((0 + f 1) + f 2) + .. + f n] *)
Fixpoint total (B : algebra V) (n : nat) (f : nat -> option V) : option V :=
  match n with 0 => Some (zero B) | S m => apply2 (add B) (total B m f) (f n) end.

Section Element.
Context (G : context) (h : memory).

(** Types are asked for in three places: which [mul] it is, where a product's indices are parted, how far a sum goes. *)
Fixpoint element (e : expr V) (k : indices) : option V :=
  match e with
  | Var x => h x k
  | Number v => Some v
  | Apply f e => option_map f (element e k)
  | Pointwise f a b => apply2 f (element a k) (element b k)
  | Mul a b =>
      match type_of G a with
      | Some [] => apply2 (mul A) (element a []) (element b k)
      | Some _ => apply2 (mul A) (element a k) (element b k)
      | None => None
      end
  | Prod a b =>
      match type_of G a with
      | Some s => apply2 (mul A) (element a (firstn (length s) k)) (element b (skipn (length s) k))
      | None => None
      end
  | Red B i e =>
      match type_of G e with
      | Some s =>
          match entry i s with
          | Some n => total B n (fun m => match insert i m k with Some k => element e k | None => None end)
          | None => None
          end
      | None => None
      end
  | Transp i j e => match exchange i j k with Some k => element e k | None => None end
  | Diag i j e =>
      match entry i k with
      | Some m => match insert j m k with Some k => element e k | None => None end
      | None => None
      end
  | Contr i j e =>
      match type_of G e with
      | Some s =>
          match entry i s with
          | Some n =>
              total A n (fun m =>
                match insert i m k with
                | Some k => match insert j m k with Some k => element e k | None => None end
                | None => None
                end)
          | None => None
          end
      | None => None
      end
  | Expa i _ e => match without i k with Some k => element e k | None => None end
  | Proj i m e => match insert i m k with Some k => element e k | None => None end
  end.

(** Every element is computed before the first is written, for the right side may read what is assigned. *)
Definition assign (x : string) (e : expr V) : option memory :=
  match G x with
  | Some s =>
      if forallb (fun k => is_some (element e k) && is_some (h x k)) (all_inside s)
      then Some (fun y k => if String.eqb y x && insideb k s then element e k else h y k)
      else None
  | None => None
  end.
End Element.

Fixpoint run (G : context) (c : stmt V) (h : memory) : option memory :=
  match c with
  | Skip => Some h
  | Assign x e => assign G h x e
  | Seq a b => match run G a h with Some h => run G b h | None => None end
  end.

Definition run_program (p : program V) : memory -> option memory := run (context_of (allocated p)) (body p).

(** A memory that has the elements of the types in [G], and no others. *)
Definition fits (G : context) (h : memory) : Prop :=
  forall x k, h x k <> None <-> exists s, G x = Some s /\ inside k s.
End Evaluation.
Arguments memory : clear implicits.

(** * Indices of a type *)
Lemma insideb_iff k s : insideb k s = true <-> inside k s.
Proof.
  unfold inside. revert s. induction k as [|m k IH]; intros [|n s]; cbn [insideb].
  - split; [constructor|reflexivity].
  - split; [discriminate|intros H; inversion H].
  - split; [discriminate|intros H; inversion H].
  - rewrite !andb_true_iff, !Nat.leb_le, IH. split; [intros [? ?]; constructor; tauto|intros H; inversion H; subst; tauto].
Qed.

Lemma in_all_inside k s : In k (all_inside s) <-> inside k s.
Proof.
  unfold inside. revert k. induction s as [|n s IH]; intros k; cbn [all_inside].
  - cbn. split; [intros [<-|[]]; constructor|intros H; inversion H; auto].
  - rewrite in_flat_map. split.
    + intros (m & M & H). apply in_map_iff in H as (k' & <- & H). apply in_seq in M. constructor; [lia|apply IH, H].
    + intros H. inversion H as [|m ? k' ? M K]; subst. exists m. split; [apply in_seq; lia|apply in_map, IH, K].
Qed.

Section Parts.
Implicit Types (i j m n : nat) (k : indices) (s t : sizes).

Lemma inside_length k s : inside k s -> length k = length s.
Proof. induction 1; cbn; congruence. Qed.

Lemma inside_app k s t : inside k (s ++ t) -> inside (firstn (length s) k) s /\ inside (skipn (length s) k) t.
Proof.
  intros H. apply Forall2_app_inv_r in H as (a & b & P & Q & ->). rewrite <- (inside_length _ _ P).
  rewrite firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag. cbn. rewrite app_nil_r. auto.
Qed.

Lemma inside_entry i n k s : inside k s -> entry i s = Some n -> exists m, entry i k = Some m /\ 1 <= m <= n.
Proof.
  intros H E. apply entry_is in E as (a & b & -> & ->). apply Forall2_app_inv_r in H as (c & d & P & Q & ->).
  inversion Q as [|m ? d' ? M D]; subst. exists m. split; [|exact M]. apply entry_is. exists c, d'.
  rewrite (inside_length _ _ P). auto.
Qed.

(** One more index, in range, where the type lost a size. *)
Lemma inside_insert i m n k s t : entry i s = Some n -> without i s = Some t -> 1 <= m <= n -> inside k t ->
  exists k', insert i m k = Some k' /\ inside k' s.
Proof.
  intros E W M H. destruct (parted _ _ _ _ E W) as (a & b & -> & -> & ->).
  apply Forall2_app_inv_r in H as (c & d & P & Q & ->). exists (c ++ m :: d). split.
  - apply insert_is. exists c, d. rewrite (inside_length _ _ P). auto.
  - apply Forall2_app; [exact P|]. constructor; assumption.
Qed.

(** One index fewer, where the type has one size more. *)
Lemma inside_without i n k s t : insert i n s = Some t -> inside k t -> exists k', without i k = Some k' /\ inside k' s.
Proof.
  intros E H. apply insert_is in E as (a & b & -> & -> & ->). apply Forall2_app_inv_r in H as (c & d & P & Q & ->).
  inversion Q as [|m ? d' ? M D]; subst. exists (c ++ d'). split; [|apply Forall2_app; assumption].
  apply without_is. exists m, c, d'. rewrite (inside_length _ _ P). auto.
Qed.

Lemma inside_replace i m n k s t : replace i n s = Some t -> 1 <= m <= n -> inside k s ->
  exists k', replace i m k = Some k' /\ inside k' t.
Proof.
  intros E M H. apply replace_is in E as (x & a & b & -> & -> & ->). apply Forall2_app_inv_r in H as (c & d & P & Q & ->).
  inversion Q as [|y ? d' ? Y D]; subst. exists (c ++ m :: d'). split.
  - apply replace_is. exists y, c, d'. rewrite (inside_length _ _ P). auto.
  - apply Forall2_app; [exact P|]. constructor; assumption.
Qed.

Lemma inside_exchange i j k s t : exchange i j s = Some t -> inside k t -> exists k', exchange i j k = Some k' /\ inside k' s.
Proof.
  intros E H. apply exchange_twice in E. unfold exchange in *.
  destruct (entry i t) as [n|] eqn:I; [|discriminate]. destruct (entry j t) as [m|] eqn:J; [|discriminate].
  destruct (replace i m t) as [u|] eqn:R; [|discriminate].
  destruct (inside_entry _ _ _ _ H I) as (p & -> & P). destruct (inside_entry _ _ _ _ H J) as (q & -> & Q).
  destruct (inside_replace _ q _ _ _ _ R Q H) as (k' & -> & K). exact (inside_replace _ p _ _ _ _ E P K).
Qed.
End Parts.
