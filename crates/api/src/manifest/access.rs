//! The parts of a node, handed to serde one by one: elements, fields, variants.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::decode::{DecodeError, Decoder, Key};
use super::node::{Entry, Node};

pub(super) struct List<'de, 'p> {
    pub(super) nodes: std::iter::Enumerate<std::slice::Iter<'de, Node>>,
    pub(super) of: Decoder<'de, 'p>,
}

impl<'de> SeqAccess<'de> for List<'de, '_> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some((index, node)) = self.nodes.next() else { return Ok(None) };
        let place = self.of.place.index(index);
        seed.deserialize(self.of.at(node, &place, None)).map(Some)
    }
}

pub(super) struct Fields<'de, 'p> {
    pub(super) entries: std::slice::Iter<'de, Entry>,
    pub(super) value: Option<&'de Entry>,
    pub(super) known: &'static [&'static str],
    pub(super) of: Decoder<'de, 'p>,
}

impl<'de> MapAccess<'de> for Fields<'de, '_> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(entry);
        let key: StrDeserializer<'de, DecodeError> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|error| match error {
            DecodeError::Bare(what) => {
                DecodeError::Placed(Box::new(self.of.place.key(&entry.key).error_at(entry.key_at, &what)))
            }
            placed => placed,
        })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let Some(entry) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        let place = self.of.place.key(&entry.key);
        let key = Some(Key { at: entry.key_at, known: self.known });
        seed.deserialize(self.of.at(&entry.value, &place, key))
    }
}

pub(super) struct Variant<'de, 'p> {
    pub(super) entry: &'de Entry,
    pub(super) of: Decoder<'de, 'p>,
}

impl<'de> EnumAccess<'de> for Variant<'de, '_> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), DecodeError> {
        let name: StrDeserializer<'de, DecodeError> = self.entry.key.as_str().into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de, '_> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        self.newtype_variant_seed(std::marker::PhantomData)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        let place = self.of.place.key(&self.entry.key);
        seed.deserialize(self.of.at(&self.entry.value, &place, None))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        let place = self.of.place.key(&self.entry.key);
        self.of.at(&self.entry.value, &place, None).list(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let place = self.of.place.key(&self.entry.key);
        self.of.at(&self.entry.value, &place, None).object(fields, visitor)
    }
}
