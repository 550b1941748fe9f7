(** Levels of a format, and their laws by the names that the library of formats uses.

    A level cuts a tensor along one dimension into slices and stores some of them; what it stores of the structure is its
    metadata. Slices that are stored have positions, numbered throughout the level. A level never looks into a slice: it
    is given *classes*, of which 0 is that of zero slices, and equal classes are those of equal slices.

    A position stands for an interval of coordinates, which has one member except in levels of runs. *)
Require Import Arith List.
Import ListNotations.

Definition range : Type := nat * nat.
Definition within (r : range) (c : nat) : Prop := fst r <= c < snd r.

(** What is stored at a position: a slice of the row by its coordinate, or zero. *)
Definition class (row : list nat) (s : option nat) : nat := match s with Some c => nth c row 0 | None => 0 end.

Record level := Level {
  extent : nat;
  metadata : Type;
  space : list nat -> Prop;
  encode : list nat -> metadata * list (option nat);
  empty : metadata;
  append : metadata -> metadata -> metadata;
  well_formed : metadata -> Prop;
  parents : metadata -> nat;
  npos : metadata -> nat;
  pos_bounds : metadata -> nat -> range;
  pos_crd : metadata -> nat -> nat -> range;
  crd_pos : metadata -> nat -> nat -> option nat;
  valid : metadata -> nat -> nat -> bool
}.

Section Laws.
Variable L : level.

(** A row of slices that the level can store. *)
Definition fits (t : list nat) : Prop := length t = extent L /\ space L t.

(** A stack of rows, each with anything that its slices are cut from; what is stored of it, in the order of positions. *)
Definition stack {X} (ts : list (list nat * X)) : metadata L :=
  fold_right (append L) (empty L) (map (fun t => fst (encode L (fst t))) ts).
Definition stored {X} (ts : list (list nat * X)) : list (X * option nat) :=
  flat_map (fun t => map (pair (snd t)) (snd (encode L (fst t)))) ts.

(** One of the rows, with the metadata of its own. *)
Definition in_stack {X} (ts : list (list nat * X)) p t x : Prop :=
  Forall (fun t => fits (fst t)) ts /\ nth_error ts p = Some (t, x).
Definition alone (t : list nat) : metadata L := fst (encode L t).
Definition first {X} (ts : list (list nat * X)) p : nat := fst (pos_bounds L (stack ts) p).

Implicit Types (m : metadata L) (c p q : nat).

(** * Appending *)
Definition MonoidStruct := well_formed L (empty L) /\
  (forall a b, well_formed L a -> well_formed L b -> well_formed L (append L a b)) /\
  (forall a, well_formed L a -> append L (empty L) a = a /\ append L a (empty L) = a) /\
  (forall a b d, well_formed L a -> well_formed L b -> well_formed L d ->
    append L a (append L b d) = append L (append L a b) d).
Definition EncodeWellFormed := forall t, fits t -> well_formed L (alone t).
Definition Positions :=
  (forall t, fits t -> parents L (alone t) = 1 /\ npos L (alone t) = length (snd (encode L t))) /\
  parents L (empty L) = 0 /\ npos L (empty L) = 0 /\
  (forall a b, well_formed L a -> well_formed L b ->
    parents L (append L a b) = parents L a + parents L b /\ npos L (append L a b) = npos L a + npos L b).

(** * A row and its encoding *)
Definition CrdPosGet := forall t c p, fits t -> crd_pos L (alone t) 0 c = Some p ->
  c < extent L /\ exists s, nth_error (snd (encode L t)) p = Some s /\ class t s = nth c t 0.
Definition CrdPosNoneGet := forall t c, fits t -> c < extent L -> crd_pos L (alone t) 0 c = None -> nth c t 0 = 0.
Definition InvalidPosGet := forall t p s, fits t -> nth_error (snd (encode L t)) p = Some s ->
  valid L (alone t) 0 p = false -> class t s = 0.

(** * Any metadata that is well formed, whatever wrote it *)
Definition CrdPosInv := forall m p c q, well_formed L m -> p < parents L m ->
  crd_pos L m p c = Some q -> valid L m p q = true -> within (pos_crd L m p q) c.
Definition PosCrdInv := forall m p c q, well_formed L m -> p < parents L m ->
  valid L m p q = true -> within (pos_crd L m p q) c -> crd_pos L m p c = Some q.
Definition PosCrdInj := forall m p c q q', well_formed L m -> p < parents L m ->
  valid L m p q = true -> valid L m p q' = true -> within (pos_crd L m p q) c -> within (pos_crd L m p q') c -> q = q'.
Definition CrdPosNone := forall m p c q, well_formed L m -> p < parents L m ->
  crd_pos L m p c = None -> valid L m p q = true -> ~ within (pos_crd L m p q) c.
Definition ValidCrd := forall m p q, well_formed L m -> p < parents L m ->
  valid L m p q = true -> exists c, within (pos_crd L m p q) c.
Definition ValidBounds := forall m p q, well_formed L m -> p < parents L m ->
  valid L m p q = true -> within (pos_bounds L m p) q.
Definition CrdBound := forall m p c q, well_formed L m -> p < parents L m ->
  valid L m p q = true -> within (pos_crd L m p q) c -> c < extent L.
Definition PosBound := forall m p, well_formed L m -> p < parents L m ->
  snd (pos_bounds L m p) <= npos L m /\ forall c q, crd_pos L m p c = Some q -> within (pos_bounds L m p) q.

(** * A stack and its rows *)
Definition CrdPosApp := forall X (ts : list (list nat * X)) p t x c, in_stack ts p t x ->
  crd_pos L (stack ts) p c = option_map (Nat.add (first ts p)) (crd_pos L (alone t) 0 c).
Definition PosCrdApp := forall X (ts : list (list nat * X)) p t x q, in_stack ts p t x ->
  within (pos_bounds L (alone t) 0) q ->
  pos_crd L (stack ts) p (first ts p + q) = pos_crd L (alone t) 0 q.
Definition BoundsGet := forall X (ts : list (list nat * X)) p t x, in_stack ts p t x ->
  snd (pos_bounds L (stack ts) p) - fst (pos_bounds L (stack ts) p) =
  snd (pos_bounds L (alone t) 0) - fst (pos_bounds L (alone t) 0).
Definition ValidGet := forall X (ts : list (list nat * X)) p t x q, in_stack ts p t x ->
  within (pos_bounds L (alone t) 0) q ->
  valid L (stack ts) p (first ts p + q) = valid L (alone t) 0 q.
Definition AppGet := forall X (ts : list (list nat * X)) p t x c, in_stack ts p t x ->
  match crd_pos L (stack ts) p c with
  | Some q => exists s, nth_error (stored ts) q = Some (x, s) /\ class t s = nth c t 0
  | None => c < extent L -> nth c t 0 = 0
  end.

Record lawful : Prop := Lawful {
  monoid_struct : MonoidStruct; encode_well_formed : EncodeWellFormed; positions : Positions;
  crd_pos_get : CrdPosGet; crd_pos_none_get : CrdPosNoneGet; invalid_pos_get : InvalidPosGet;
  crd_pos_inv : CrdPosInv; pos_crd_inv : PosCrdInv; valid_crd : ValidCrd; crd_bound : CrdBound;
  valid_bounds : ValidBounds; pos_bound : PosBound;
  crd_pos_app : CrdPosApp; pos_crd_app : PosCrdApp; bounds_get : BoundsGet; valid_get : ValidGet; app_get : AppGet
}.

(** Two laws follow from others. *)
Lemma pos_crd_inj : lawful -> PosCrdInj.
Proof.
  intros H m p c q q' W P V V' I I'. pose proof (pos_crd_inv H m p c q W P V I). pose proof (pos_crd_inv H m p c q' W P V' I').
  congruence.
Qed.

Lemma crd_pos_none : lawful -> CrdPosNone.
Proof. intros H m p c q W P E V I. pose proof (pos_crd_inv H m p c q W P V I). congruence. Qed.

Lemma stack_well_formed X (ts : list (list nat * X)) : lawful ->
  Forall (fun t => fits (fst t)) ts -> well_formed L (stack ts).
Proof.
  intros H. destruct (monoid_struct H) as (E & A & _). induction 1 as [|t ts F _ IH]; [exact E|].
  apply A; [apply encode_well_formed, F; exact H | exact IH].
Qed.

Lemma stack_positions X (ts : list (list nat * X)) : lawful -> Forall (fun t => fits (fst t)) ts ->
  parents L (stack ts) = length ts /\ npos L (stack ts) = length (stored ts).
Proof.
  intros H. pose proof (positions H) as (One & P0 & N0 & Add). induction 1 as [|t ts F Fs IH]; [auto|].
  destruct (Add (alone (fst t)) (stack ts)) as [P N].
  - apply encode_well_formed, F; exact H.
  - apply stack_well_formed; assumption.
  - destruct (One _ F) as [P1 N1]. destruct IH as [P2 N2]. unfold stack, stored in *. cbn in *. unfold alone in *.
    rewrite P, N, P1, N1, P2, N2, app_length, map_length. auto.
Qed.
End Laws.
