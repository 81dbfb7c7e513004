using System.Globalization;

namespace Jackdaw.Search;

/// <summary>Names of an index's structures in its environment. See docs/search-format.md, "Named structures".</summary>
internal static class StructureNames
{
    public const string Meta = "meta";
    public const string Fields = "fields";
    public const string Sources = "sources";
    public const string Entries = "entries";

    public static string Texts(ushort field) => Of("text/", field);

    public static string Numbers(ushort field) => Of("number/", field);

    public static string TermNames(ushort field) => Of("names/", field);

    public static string Column(ushort field) => Of("column/", field);

    public static string Lengths(ushort field) => Of("lengths/", field);

    private static string Of(string kind, ushort field) => kind + field.ToString(CultureInfo.InvariantCulture);
}
